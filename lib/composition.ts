import 'server-only'
import { CompiledQuery } from 'kysely'
import { type AccountLinkTables, type CreditLinks, createCreditLinks } from '@/lib/auth/server/credit-links'
import { createCatalogue, type SiteCatalogue } from '@/lib/catalogue/server/create-catalogue'
import { createFileCatalogueStore } from '@/lib/catalogue/server/create-file-catalogue-store'
import { localUpstreams } from '@/lib/catalogue/server/local-upstreams'
import { serverSettings } from '@/lib/config/server-settings'
import { findDistantUpstream, type ServerSettings } from '@/lib/config/settings'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import type { Database } from '@/lib/db/database'
import { isMigrated } from '@/lib/db/migrate-database'
import { openDatabase } from '@/lib/db/open-database'
import { retryLostConnection } from '@/lib/db/retry-lost-connection'
import { createDatabaseExchangeBoard } from '@/lib/exchange/engine/exchange-board'
import { createExchanges, type Exchanges } from '@/lib/exchange/engine/exchanges'
import { createDatabaseReplayStore } from '@/lib/exchange/engine/replay-store'
import { createKinds, type Kinds } from '@/lib/exchange/kinds/kinds'
import { createVoices } from '@/lib/exchange/kinds/speech/create-voices'
import type { Voice } from '@/lib/exchange/kinds/speech/voice'
import { createHostClient } from '@/lib/host-mode/server/host-client'
import { type BodiesInFlight, createBodiesInFlight } from '@/lib/http/bodies-in-flight'
import { chooseKeepAlive, type KeepAlive } from '@/lib/http/keep-alive'
import { createRateLimits, processRateLimits, type RateLimits } from '@/lib/http/rate-limits'
import { NOTHING_SWEPT } from '@/lib/ledger/domain/holds'
import { LEDGER_CONTRACT, type Ledger } from '@/lib/ledger/domain/ledger'
import { type Books, createBooks, createHostBooks } from '@/lib/ledger/server/books'
import { claimMoney } from '@/lib/ledger/server/claim-money'
import { createEmbeddedLedger } from '@/lib/ledger/server/embedded-ledger'
import { log } from '@/lib/observability/log'
import { GATEWAYS, type Gateway, type GatewayId } from '@/lib/payments/domain/gateway'
import { type Payments, REFILL_LINKS_CONTRACT } from '@/lib/payments/domain/payments'
import type { RefillLinks } from '@/lib/payments/domain/refill-links'
import { createBtcpayGateway } from '@/lib/payments/gateways/btcpay/btcpay-gateway'
import { createNwcGateway } from '@/lib/payments/gateways/nwc/nwc-gateway'
import { createSandboxGateway } from '@/lib/payments/gateways/sandbox/sandbox-gateway'
import { createStripeGateway } from '@/lib/payments/gateways/stripe/stripe-gateway'
import { createHostPayments } from '@/lib/payments/host/create-host-payments'
import { requireRealMoney } from '@/lib/payments/host/require-real-money'
import { createPayments } from '@/lib/payments/server/create-payments'
import { databaseClock } from '@/lib/payments/server/database-clock'
import type { PaymentDatabase, PaymentTables } from '@/lib/payments/server/payment-tables'
import { createRefillLinks } from '@/lib/payments/server/refill-links'
import { sandboxUpstream } from '@/lib/sandbox-upstream/server/sandbox-upstream'
import { ELEVENLABS_LIST } from '@/lib/speech/domain/elevenlabs-models'

/** Everything that a route handler may use. */
export interface Services {
  settings: ServerSettings
  catalogue: SiteCatalogue
  ledger: Ledger
  /** For the operator's commands; no route handler uses it. */
  books: Books
  payments: Payments
  refillLinks: RefillLinks
  exchanges: Exchanges
  kinds: Kinds
  /** The voices of all models; never fails. */
  listVoices: () => Promise<readonly Voice[]>
  /** Whether every migration has been applied. @throws if the database does not answer, or takes no writes */
  isMigrated: () => Promise<boolean>
  rateLimits: RateLimits
  bodiesInFlight: BodiesInFlight
  keepAlive: KeepAlive
  /** Null if sign-in is not configured, or there is no key to seal linked credits with. */
  creditLinks: CreditLinks | null
  /** For shutdown: lets running answers end, then closes the database. */
  close(): Promise<void>
}

/** The sandbox is for trying things out, also by scripts. */
const SANDBOX_RATE_LIMIT_FACTOR = 1_000

/** Shorter than the 300 seconds after which the routes' functions are cut off, so that an answer is settled before. */
const FUNCTION_DURATION_MS_MAX = 280_000

/** One set of services per process, however many copies of this module a bundler makes. */
const SERVICES_KEY = Symbol.for('tuppence.services')
const processWide = globalThis as typeof globalThis & { [SERVICES_KEY]?: Promise<Services> }

/**
 * The one place that decides which adapters are used. Opened at the first call, and kept for the lifetime of the
 * process.
 */
export function services(): Promise<Services> {
  processWide[SERVICES_KEY] ??= compose(serverSettings()).then(
    opened => {
      processRateLimits().current = opened.rateLimits
      return opened
    },
    error => {
      // A database that did not answer at the first request may do so at the next.
      delete processWide[SERVICES_KEY]
      throw error
    },
  )
  return processWide[SERVICES_KEY]
}

/** The services of one deployment; a function of its settings, so that a test can have two. */
export async function compose(settings: ServerSettings): Promise<Services> {
  const keepAlive = await chooseKeepAlive(settings)
  // First, because a malformed price ends the start: a database would be left open, and migrated for nothing.
  const { upstreams, local } = chooseUpstreams(settings)
  const catalogue = createCatalogue({
    upstreams,
    localUpstreams: local,
    fixedLists: settings.elevenLabs ? [ELEVENLABS_LIST] : [],
    modelPrices: settings.modelPrices,
    priceMarkup: settings.priceMarkup,
    store: settings.onVercel ? null : createFileCatalogueStore(settings.database.dataDirectory),
    keepAlive,
  })
  const opening = openMoney(settings, keepAlive)
  // Whoever asked first may leave, and a migration that stands still has all others wait for its lock.
  keepAlive?.(opening.catch(() => {}))
  const database = await opening
  const { ledger, books, payments, refillLinks } = chooseBookkeeping(settings, database)
  const replayStore = createDatabaseReplayStore({ database })
  const { priceMarkup, elevenLabs } = settings
  const listVoices = createVoices({ catalogue, elevenLabs, keepAlive })
  const exchanges = createExchanges({
    ledger,
    priceMarkup,
    replayStore,
    board: createDatabaseExchangeBoard({ database }),
    keepAlive,
    limits: settings.onVercel ? { exchangeDurationMsMax: FUNCTION_DURATION_MS_MAX } : {},
  })
  return {
    settings,
    catalogue,
    ledger,
    books,
    payments,
    refillLinks,
    exchanges,
    kinds: createKinds({
      catalogue,
      upstreams: [...upstreams, ...local],
      elevenLabs,
      listVoices,
      priceMarkup,
    }),
    listVoices,
    creditLinks: chooseCreditLinks(settings, database),
    isMigrated: () => isMigrated(database.kysely),
    rateLimits: createRateLimits({
      // If it is repeated after a lost connection, a use may count twice, which does the least harm.
      query: (text, values) =>
        retryLostConnection(() => database.kysely.executeQuery(CompiledQuery.raw(text, values))),
      onVercel: settings.onVercel,
      factor: settings.sandbox.gateway ? SANDBOX_RATE_LIMIT_FACTOR : 1,
    }),
    bodiesInFlight: createBodiesInFlight({ onVercel: settings.onVercel }),
    keepAlive: keepAlive ?? (() => {}),
    async close() {
      await exchanges.drain()
      await database.close()
    },
  }
}

/** If another deployment keeps the books, there is no money here that could be mixed up. */
async function openMoney(settings: ServerSettings, keepAlive: KeepAlive | undefined): Promise<Database> {
  const database = await openDatabase({ ...settings.database, keepAlive })
  try {
    if (!settings.paymentsHost) await claimMoney(database, settings.sandbox.gateway ? 'pretend' : 'real')
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Local model servers are offered only if nothing is configured, since their answers are free. */
function chooseUpstreams(settings: ServerSettings): {
  upstreams: UpstreamSettings[]
  local: UpstreamSettings[]
} {
  if (!settings.sandbox.upstream) return { upstreams: settings.upstreams, local: [] }
  return { upstreams: [sandboxUpstream(settings.port)], local: localUpstreams(settings.port) }
}

/**
 * Money is kept either here or at the payments host. In the second case this deployment has no gateways, not even the
 * sandbox's, and its database holds no money.
 */
function chooseBookkeeping(
  settings: ServerSettings,
  database: Database,
): Pick<Services, 'ledger' | 'books' | 'payments' | 'refillLinks'> {
  if (settings.paymentsHost) {
    warnOfUnusedGateways(settings)
    const { PAYMENTS_HOST: baseUrl, PAYMENTS_HOST_TOKEN: token } = settings.paymentsHost
    const host = {
      // The host ends holds by itself, and not at once after an outage.
      ledger: { ...createHostClient(LEDGER_CONTRACT, { baseUrl, token }), sweep: async () => NOTHING_SWEPT },
      payments: createHostPayments({ baseUrl, token }),
    }
    return {
      ...(findDistantUpstream(settings) ? requireRealMoney(host) : host),
      books: createHostBooks(),
      refillLinks: createHostClient(REFILL_LINKS_CONTRACT, { baseUrl, token }),
    }
  }
  const ledger = createEmbeddedLedger({ database, receiptKey: settings.receiptKey })
  const gateways = chooseGateways(settings, database)
  return {
    ledger,
    books: createBooks({ database }),
    payments: createPayments({ database, ledger, gateways, bonuses: settings.topUpBonuses }),
    refillLinks: createRefillLinks({ database }),
  }
}

function warnOfUnusedGateways({ gateways }: ServerSettings): void {
  const unused = GATEWAYS.filter(id => id !== 'sandbox' && gateways[id])
  if (unused.length > 0)
    log.warn(
      `payments are taken at PAYMENTS_HOST: the settings of ${unused.join(' and ')} have no effect here; set them at that deployment`,
    )
}

/** Makes each gateway from the settings; null if it is not configured. */
const GATEWAY_FACTORIES: Record<
  GatewayId,
  (settings: ServerSettings, tables: PaymentDatabase) => Gateway | null
> = {
  btcpay: ({ gateways: { btcpay } }) =>
    btcpay &&
    createBtcpayGateway({
      url: btcpay.BTCPAY_URL,
      storeId: btcpay.BTCPAY_STORE_ID,
      apiKey: btcpay.BTCPAY_API_KEY,
      webhookSecret: btcpay.BTCPAY_WEBHOOK_SECRET,
      rateUrl: btcpay.BTC_RATE_URL,
    }),
  nwc: ({ gateways: { nwc }, appName, onVercel }) =>
    nwc &&
    createNwcGateway({
      nwcUrl: nwc.NWC_URL,
      rateUrl: nwc.BTC_RATE_URL,
      description: `${appName} credit`,
      closesWhenIdle: onVercel,
    }),
  stripe: ({ gateways: { stripe }, appName }, tables) =>
    stripe &&
    createStripeGateway({
      secretKey: stripe.STRIPE_SECRET_KEY,
      webhookSecret: stripe.STRIPE_WEBHOOK_SECRET,
      apiBase: stripe.STRIPE_API_BASE,
      productName: `${appName} credit`,
      now: databaseClock(tables),
    }),
  sandbox: ({ sandbox }, tables) => (sandbox.gateway ? createSandboxGateway({ database: tables }) : null),
}

function chooseGateways(settings: ServerSettings, database: Database): Gateway[] {
  const tables = database.kysely.withTables<PaymentTables>()
  return GATEWAYS.flatMap(id => GATEWAY_FACTORIES[id](settings, tables) ?? [])
}

/** Credits can be linked to an account only with sign-in and a key to seal them with. */
function chooseCreditLinks(settings: ServerSettings, database: Database): CreditLinks | null {
  if (!settings.supabase || settings.linkEncryptionKeys.length === 0) return null
  return createCreditLinks({
    database: database.kysely.withTables<AccountLinkTables>(),
    keys: settings.linkEncryptionKeys,
  })
}
