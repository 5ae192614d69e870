import 'server-only'
import { CompiledQuery } from 'kysely'
import type { Catalogue } from '@/lib/catalogue/domain/model'
import { createCatalogue } from '@/lib/catalogue/server/create-catalogue'
import { createFileCatalogueStore } from '@/lib/catalogue/server/create-file-catalogue-store'
import { localUpstreams } from '@/lib/catalogue/server/local-upstreams'
import { createExchanges, type Exchanges } from '@/lib/chat/server/create-exchanges'
import { createMemoryReplayStore } from '@/lib/chat/server/memory-replay-store'
import { serverSettings } from '@/lib/config/server'
import type { Settings } from '@/lib/config/settings'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import type { Database } from '@/lib/db/database'
import { openDatabase } from '@/lib/db/open-database'
import { createRateLimits, type RateLimits } from '@/lib/http/rate-limits'
import type { Ledger } from '@/lib/ledger/domain/ledger'
import { createEmbeddedLedger } from '@/lib/ledger/server/embedded-ledger'
import type { Gateway } from '@/lib/payments/domain/gateway'
import type { Payments } from '@/lib/payments/domain/payments'
import { createSandboxGateway } from '@/lib/payments/gateways/sandbox/sandbox-gateway'
import { createPayments } from '@/lib/payments/server/create-payments'
import type { PaymentTables } from '@/lib/payments/server/payment-tables'
import { sandboxUpstream } from '@/lib/sandbox-upstream/server/sandbox-upstream'

/** Everything that a route handler may call. */
export interface Services {
  settings: Settings
  catalogue: Catalogue
  ledger: Ledger
  payments: Payments
  exchanges: Exchanges
  rateLimits: RateLimits
  /** For the end of the process: lets running answers end, then closes the database. */
  close(): Promise<void>
}

/** The sandbox is for trying things out, by scripts too. */
const SANDBOX_RATE_LIMIT_FACTOR = 1_000

/** Answers kept for replay in memory; a few hundred of usual length. */
const REPLAY_BYTES_MAX = 256 * 1024 * 1024

/** One set of services per process, however many copies of this module a bundler makes. */
const SERVICES_KEY = Symbol.for('tuppence.services')
const processWide = globalThis as typeof globalThis & { [SERVICES_KEY]?: Promise<Services> }

/** The one place that decides which adapter answers. Opened at the first call, kept for the process. */
export function services(): Promise<Services> {
  processWide[SERVICES_KEY] ??= compose(serverSettings()).catch(error => {
    // A database that was away at the first request may be there at the next.
    delete processWide[SERVICES_KEY]
    throw error
  })
  return processWide[SERVICES_KEY]
}

async function compose(settings: Settings): Promise<Services> {
  const database = await openDatabase(settings.database)
  const ledger = createEmbeddedLedger({ database })
  const { upstreams, local } = chooseUpstreams(settings)
  const catalogue = createCatalogue({
    upstreams,
    localUpstreams: local,
    modelPricesFile: settings.modelPricesFile,
    priceMarkup: settings.priceMarkup,
    store: createFileCatalogueStore(settings.database.dataDirectory),
  })
  const exchanges = createExchanges({
    ledger,
    catalogue,
    upstreams: [...upstreams, ...local],
    priceMarkup: settings.priceMarkup,
    replayStore: createMemoryReplayStore({ bytesMax: REPLAY_BYTES_MAX }),
  })
  return {
    settings,
    catalogue,
    ledger,
    payments: createPayments({ database, ledger, gateways: chooseGateways(settings, database) }),
    exchanges,
    rateLimits: createRateLimits({
      query: (text, values) => database.kysely.executeQuery(CompiledQuery.raw(text, values)),
      onVercel: settings.onVercel,
      factor: settings.sandbox.gateway ? SANDBOX_RATE_LIMIT_FACTOR : 1,
    }),
    async close() {
      await exchanges.drain()
      await database.close()
    },
  }
}

/** Programs on this machine are offered only where nobody configured anything: their answers are free. */
function chooseUpstreams(settings: Settings): { upstreams: UpstreamSettings[]; local: UpstreamSettings[] } {
  if (!settings.sandbox.upstream) return { upstreams: settings.upstreams, local: [] }
  return { upstreams: [sandboxUpstream(settings.port)], local: localUpstreams(settings.port) }
}

function chooseGateways(settings: Settings, database: Database): Gateway[] {
  if (!settings.sandbox.gateway) return []
  return [createSandboxGateway({ database: database.kysely.withTables<PaymentTables>() })]
}
