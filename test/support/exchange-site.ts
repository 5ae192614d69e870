import 'server-only'
import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Catalogue } from '@/lib/catalogue/domain/model'
import { createCatalogue } from '@/lib/catalogue/server/create-catalogue'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import type { Database } from '@/lib/db/database'
import type { AnswerTimes, ExchangeLimits } from '@/lib/exchange/domain/exchange-limits'
import type { ExchangeBoard } from '@/lib/exchange/engine/exchange-board'
import { createExchanges, type Exchanges } from '@/lib/exchange/engine/exchanges'
import { createDatabaseReplayStore, type ReplayStore } from '@/lib/exchange/engine/replay-store'
import { createKinds, type Kinds } from '@/lib/exchange/kinds/kinds'
import { createVoices } from '@/lib/exchange/kinds/speech/create-voices'
import { type BodiesInFlight, createBodiesInFlight } from '@/lib/http/bodies-in-flight'
import { hashSecret } from '@/lib/http/credential'
import type { RateLimits } from '@/lib/http/rate-limits'
import type { Credential } from '@/lib/ledger/domain/accounts'
import type { Ledger } from '@/lib/ledger/domain/ledger'
import type { UsageRecord } from '@/lib/ledger/domain/usage'
import { createEmbeddedLedger } from '@/lib/ledger/server/embedded-ledger'
import { type Decimal, ZERO } from '@/lib/money/decimal'
import { NANO_PER_USD } from '@/lib/money/nano'
import { ELEVENLABS_LIST } from '@/lib/speech/domain/elevenlabs-models'

/** Times that a test can wait for; those that are not under test never run out. */
const TEST_LIMITS: Partial<ExchangeLimits> = {
  settleRetryDelaysMs: [1, 1, 1],
  keepRetryDelaysMs: [],
  replayPollDelaysMs: [1, 1],
  announcementDelayMs: 1,
  stopPollIntervalMs: 1,
  otherProcessPollIntervalMs: 1,
  settleWaitMs: 60_000,
  stopWaitMs: 60_000,
  generationRecordTimeoutMs: 60_000,
  drainMsMax: 60_000,
}

export interface TestSite {
  exchanges: Exchanges
  kinds: Kinds
  ledger: Ledger
  database: Database
  catalogue: Catalogue
  bodiesInFlight: BodiesInFlight
  rateLimits: RateLimits
  listVoices: ReturnType<typeof createVoices>
  /** What was reported to the operator. */
  reports: string[]
}

export interface SiteOptions {
  database: Database
  /** In the operator's order; a stand-in represents itself. */
  upstream?: { baseUrl: string }
  moreUpstreams?: readonly UpstreamSettings[]
  elevenLabs?: UpstreamSettings | null
  limits?: Partial<ExchangeLimits>
  times?: Partial<AnswerTimes>
  priceMarkup?: Decimal
  ledger?: Ledger
  catalogue?: Catalogue
  replayStore?: ReplayStore
  /** For a site of several processes. */
  board?: ExchangeBoard
  keepAlive?: (work: Promise<unknown>) => void
}

/** Everything between a credential and an upstream, for real: database, catalogue, HTTP. */
export function startSite(options: SiteOptions): TestSite {
  const { database, upstream, priceMarkup = ZERO, elevenLabs = null } = options
  const upstreams = [
    ...(upstream ? [standInSettings(upstream, 'stand-in')] : []),
    ...(options.moreUpstreams ?? []),
  ]
  const ledger = options.ledger ?? createEmbeddedLedger({ database })
  const catalogue = options.catalogue ?? createTestCatalogue(upstreams, priceMarkup, elevenLabs !== null)
  const reports: string[] = []
  const exchanges = createExchanges({
    ledger,
    priceMarkup,
    replayStore: options.replayStore ?? createDatabaseReplayStore({ database }),
    board: options.board,
    keepAlive: options.keepAlive,
    limits: { ...TEST_LIMITS, ...options.limits },
    report: message => reports.push(message),
  })
  const listVoices = createVoices({ catalogue, elevenLabs, report: () => {} })
  const { times } = options
  const kinds = createKinds({ catalogue, upstreams, elevenLabs, listVoices, priceMarkup, times })
  return {
    exchanges,
    kinds,
    ledger,
    database,
    catalogue,
    bodiesInFlight: createBodiesInFlight({ onVercel: false }),
    rateLimits: { take: async () => {} },
    listVoices,
    reports,
  }
}

export function createTestCatalogue(
  upstreams: readonly UpstreamSettings[],
  priceMarkup: Decimal = ZERO,
  hasElevenLabs = false,
): Catalogue {
  return createCatalogue({
    upstreams,
    fixedLists: hasElevenLabs ? [ELEVENLABS_LIST] : [],
    modelPrices: null,
    priceMarkup,
    store: { load: async () => null, save: async () => {} },
    report: () => {},
  })
}

export function standInSettings(upstream: { baseUrl: string }, id: string): UpstreamSettings {
  return { id, baseUrl: upstream.baseUrl, apiKey: 'upstream-secret', setBy: 'UPSTREAM_BASE_URL' }
}

export interface TestCustomer {
  accountId: string
  credential: Credential
}

export async function createCustomer(ledger: Ledger, balanceUsd: number): Promise<TestCustomer> {
  return createCustomerWithNano(ledger, (BigInt(Math.round(balanceUsd * 1e6)) * NANO_PER_USD) / 1_000_000n)
}

export async function createCustomerWithNano(
  ledger: Ledger,
  amountNano: bigint,
  creditId: string = randomUUID(),
): Promise<TestCustomer> {
  const credential: Credential = { kind: 'credit_id', secretHash: hashSecret(creditId) }
  const { accountId } = await ledger.createAccount({
    creditIdHash: credential.secretHash,
    firstKey: null,
    attribution: null,
  })
  if (amountNano > 0n) {
    await ledger.credit({ accountId, amountNano, source: 'gateway', reference: randomUUID(), memo: {} })
  }
  return { accountId, credential }
}

/** The only call of an account, from its usage list. */
export async function onlyUsage(ledger: Ledger, { accountId }: TestCustomer): Promise<UsageRecord> {
  const records = await listUsage(ledger, accountId)
  const only = records[0]
  if (!only || records.length !== 1) throw new Error(`expected one call, found ${records.length}`)
  return only
}

export async function listUsage(ledger: Ledger, accountId: string): Promise<UsageRecord[]> {
  const page = await ledger.listUsage({
    accountId,
    limit: 100,
    cursor: null,
    from: null,
    to: null,
    modelId: null,
    keyId: null,
  })
  return page.records
}

/** How often to check for a background settlement; each check is a query, so no time is waited for. */
const LOOK_COUNT_MAX = 5_000

/** The only call of an account, as soon as it is over. */
export async function waitForUsage(ledger: Ledger, customer: TestCustomer): Promise<UsageRecord> {
  for (let look = 0; look < LOOK_COUNT_MAX; look += 1) {
    const records = await listUsage(ledger, customer.accountId)
    if (records.length > 0) return onlyUsage(ledger, customer)
    await nextTurn()
  }
  throw new Error('The exchange was never resolved.')
}
