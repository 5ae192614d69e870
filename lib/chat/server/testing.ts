import 'server-only'
import { randomBytes, randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Catalogue } from '@/lib/catalogue/domain/model'
import { createCatalogue } from '@/lib/catalogue/server/create-catalogue'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import type { Database } from '@/lib/db/database'
import { hashSecret } from '@/lib/http/credential'
import type { Credential, Ledger, UsageRecord } from '@/lib/ledger/domain/ledger'
import { createEmbeddedLedger } from '@/lib/ledger/server/embedded-ledger'
import { createDatabaseReplayStore } from '@/lib/ledger/server/metering/database-replay-store'
import { type Decimal, ZERO } from '@/lib/money/decimal'
import { NANO_PER_USD } from '@/lib/money/nano'
import type { StandInUpstream } from '@/test/stand-ins/upstream'
import type { ExchangeLimits } from '../domain/exchange-limits'
import { createExchanges, type Exchanges } from './create-exchanges'
import type { ExchangeBoard } from './exchange-board'
import type { ExchangeReply } from './exchange-reply'

/** Times that a test can wait for; whatever is not under test never runs out. */
const TEST_LIMITS: Partial<ExchangeLimits> = {
  settleRetryDelaysMs: [1, 1, 1],
  stopLookIntervalMs: 1,
  elsewhereLookIntervalMs: 1,
  generationRecordTimeoutMs: 1_000,
}

export interface TestSite {
  exchanges: Exchanges
  ledger: Ledger
  database: Database
  catalogue: Catalogue
  upstream: StandInUpstream
  settings: UpstreamSettings[]
}

export interface SiteOptions {
  database: Database
  upstream: StandInUpstream
  moreUpstreams?: readonly UpstreamSettings[]
  limits?: Partial<ExchangeLimits>
  priceMarkup?: Decimal
  ledger?: Ledger
  catalogue?: Catalogue
  /** For a site of several processes. */
  board?: ExchangeBoard
}

/** Everything between a credential and an upstream, for real: database, catalogue, HTTP. */
export function startSite(options: SiteOptions): TestSite {
  const { database, upstream, priceMarkup = ZERO } = options
  const settings = [standInSettings(upstream, 'stand-in'), ...(options.moreUpstreams ?? [])]
  const ledger = options.ledger ?? createEmbeddedLedger({ database })
  const catalogue = options.catalogue ?? createTestCatalogue(settings, priceMarkup)
  const exchanges = createExchanges({
    ledger,
    catalogue,
    upstreams: settings,
    priceMarkup,
    replayStore: createDatabaseReplayStore({ database }),
    board: options.board,
    limits: { ...TEST_LIMITS, ...options.limits },
  })
  return { exchanges, ledger, database, catalogue, upstream, settings }
}

export function createTestCatalogue(
  upstreams: readonly UpstreamSettings[],
  priceMarkup: Decimal = ZERO,
): Catalogue {
  const store = { load: async () => null, save: async () => {} }
  return createCatalogue({ upstreams, modelPricesFile: null, priceMarkup, store, report: () => {} })
}

export function standInSettings(upstream: StandInUpstream, id: string): UpstreamSettings {
  return { id, baseUrl: upstream.baseUrl, apiKey: 'upstream-secret', setBy: 'UPSTREAM_BASE_URL' }
}

export interface TestCustomer {
  accountId: string
  credential: Credential
}

export async function createCustomer(ledger: Ledger, balanceUsd: number): Promise<TestCustomer> {
  return createCustomerWithNano(ledger, (BigInt(Math.round(balanceUsd * 1e6)) * NANO_PER_USD) / 1_000_000n)
}

export async function createCustomerWithNano(ledger: Ledger, amountNano: bigint): Promise<TestCustomer> {
  const credential: Credential = { kind: 'credit_id', secretHash: hashSecret(randomUUID()) }
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

export interface AskOptions {
  body?: Record<string, unknown>
  idempotencyKey?: string
  resumeKey?: string
  signal?: AbortSignal
}

export function ask(
  site: TestSite,
  customer: TestCustomer,
  options: AskOptions = {},
): Promise<ExchangeReply> {
  return site.exchanges.complete({
    credential: customer.credential,
    body: Buffer.from(JSON.stringify({ ...QUESTION, ...options.body })),
    idempotencyKey: options.idempotencyKey ?? null,
    resumeKey: options.resumeKey ?? null,
    signal: options.signal ?? new AbortController().signal,
  })
}

export const QUESTION = {
  model: 'standin/small',
  messages: [{ role: 'user', content: 'Say hello.' }],
  stream: true,
}

export const newResumeKey = () => randomBytes(32).toString('base64url')

export async function readAll(reply: ExchangeReply): Promise<string> {
  return new Response(reply.body).text()
}

/** The JSON of every event in a stream, `[DONE]` as it is. */
export function parseEvents(stream: string): Record<string, unknown>[] {
  return stream
    .split('\n\n')
    .flatMap(event => event.split('\n').filter(line => line.startsWith('data: ')))
    .map(line => (line === 'data: [DONE]' ? { done: true } : JSON.parse(line.slice('data: '.length))))
}

/** The usage that our own last chunk tells. */
export function usageOf(stream: string): Record<string, unknown> {
  const found = parseEvents(stream).flatMap(event =>
    event.usage ? [event.usage as Record<string, unknown>] : [],
  )
  if (found.length !== 1 || !found[0]) throw new Error(`expected one usage, found ${found.length}`)
  return found[0]
}

export function textOf(stream: string): string {
  return parseEvents(stream)
    .map(
      event => (event.choices as { delta?: { content?: string } }[] | undefined)?.[0]?.delta?.content ?? '',
    )
    .join('')
}

/** The only call of an account, as its usage list tells it. */
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

/** A reader that can be told how far to read, and when to leave. */
export function openReader(reply: ExchangeReply) {
  const reader = new Response(reply.body).body?.getReader()
  if (!reader) throw new Error('The reply has no body.')
  const decoder = new TextDecoder()
  let seen = ''
  return {
    /** Everything up to and including the event in which the text stands. */
    async readUntil(text: string): Promise<string> {
      while (!seen.includes(text)) {
        const { done, value } = await reader.read()
        if (done) throw new Error(`the stream ended without ${text}: ${seen}`)
        seen += decoder.decode(value, { stream: true })
      }
      return seen
    },
    leave: () => reader.cancel(),
  }
}

/** How often a background settlement is looked for; each look is a query, so no time is waited for. */
const LOOK_COUNT_MAX = 2_000

/** The only call of an account, as soon as it is over. */
export async function waitForUsage(ledger: Ledger, customer: TestCustomer): Promise<UsageRecord> {
  for (let look = 0; look < LOOK_COUNT_MAX; look += 1) {
    const records = await listUsage(ledger, customer.accountId)
    if (records.length > 0) return onlyUsage(ledger, customer)
    // The embedded database answers without ever letting the network speak.
    await nextTurn()
  }
  throw new Error('The exchange was never resolved.')
}
