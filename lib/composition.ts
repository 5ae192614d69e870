import 'server-only'
import { CompiledQuery } from 'kysely'
import { serverSettings } from '@/lib/config/server'
import type { Settings } from '@/lib/config/settings'
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

/** Everything that a route handler may call. */
export interface Services {
  settings: Settings
  ledger: Ledger
  payments: Payments
  rateLimits: RateLimits
}

/** The sandbox is for trying things out, by scripts too. */
const SANDBOX_RATE_LIMIT_FACTOR = 1_000

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
  return {
    settings,
    ledger,
    payments: createPayments({ database, ledger, gateways: chooseGateways(settings, database) }),
    rateLimits: createRateLimits({
      query: (text, values) => database.kysely.executeQuery(CompiledQuery.raw(text, values)),
      onVercel: settings.onVercel,
      factor: settings.sandbox.gateway ? SANDBOX_RATE_LIMIT_FACTOR : 1,
    }),
  }
}

function chooseGateways(settings: Settings, database: Database): Gateway[] {
  if (!settings.sandbox.gateway) return []
  return [createSandboxGateway({ database: database.kysely.withTables<PaymentTables>() })]
}
