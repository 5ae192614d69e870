import 'server-only'
import { randomBytes, randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { z } from 'zod'
import { measurePrompt } from '@/lib/catalogue/domain/measure-prompt'
import type { Catalogue } from '@/lib/catalogue/domain/model'
import { estimatePromptTokens } from '@/lib/catalogue/domain/prompt-tokens'
import { createCatalogue } from '@/lib/catalogue/server/create-catalogue'
import { countTokens } from '@/lib/catalogue/tokenizer/count-tokens'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import type { Database } from '@/lib/db/database'
import type { AnswerTimes, ExchangeLimits } from '@/lib/exchange/domain/exchange-limits'
import type { ExchangeBoard } from '@/lib/exchange/engine/exchange-board'
import { createExchanges, type Exchanges } from '@/lib/exchange/engine/exchanges'
import { createDatabaseReplayStore, type ReplayStore } from '@/lib/exchange/engine/replay-store'
import type { ExchangeReply } from '@/lib/exchange/engine/reply'
import { createKinds, type Kinds } from '@/lib/exchange/kinds/kinds'
import { createVoices } from '@/lib/exchange/kinds/speech/create-voices'
import { type BodiesInFlight, createBodiesInFlight } from '@/lib/http/bodies-in-flight'
import { hashSecret } from '@/lib/http/credential'
import type { RateLimits } from '@/lib/http/rate-limits'
import { parseJson } from '@/lib/http/read-body'
import type { Credential } from '@/lib/ledger/domain/accounts'
import type { Ledger } from '@/lib/ledger/domain/ledger'
import type { UsageRecord } from '@/lib/ledger/domain/usage'
import { createEmbeddedLedger } from '@/lib/ledger/server/embedded-ledger'
import { type Decimal, ZERO } from '@/lib/money/decimal'
import { NANO_PER_USD } from '@/lib/money/nano'
import { ELEVENLABS_LIST } from '@/lib/speech/domain/elevenlabs-models'
import { OPUS_20_MS } from '@/test/fixtures/recordings/ogg'
import { webmFile } from '@/test/fixtures/recordings/webm'

/** Times that a test can wait for; whatever is not under test never runs out. */
const TEST_LIMITS: Partial<ExchangeLimits> = {
  settleRetryDelaysMs: [1, 1, 1],
  keptLookDelaysMs: [1, 1],
  announcementDelayMs: 1,
  stopLookIntervalMs: 1,
  elsewhereLookIntervalMs: 1,
  generationRecordTimeoutMs: 1_000,
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
  /** What the operator was told. */
  reports: string[]
}

export interface SiteOptions {
  database: Database
  /** In the operator's order; a stand-in stands for itself. */
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
    limits: { ...TEST_LIMITS, ...options.limits },
    report: message => reports.push(message),
  })
  const kinds = createKinds({ catalogue, upstreams, elevenLabs, priceMarkup, times: options.times })
  return {
    exchanges,
    kinds,
    ledger,
    database,
    catalogue,
    bodiesInFlight: createBodiesInFlight({ onVercel: false }),
    rateLimits: { take: async () => {} },
    listVoices: createVoices({ catalogue, elevenLabs, report: () => {} }),
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
    modelPricesFile: null,
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

export interface AskOptions {
  body?: Record<string, unknown>
  idempotencyKey?: string
  resumeKey?: string
  mostNano?: bigint
  signal?: AbortSignal
}

export const QUESTION = {
  model: 'standin/small',
  messages: [{ role: 'user', content: 'Say hello.' }],
  stream: true,
}

/** The stand-in's painter, at four cents a picture. */
const PICTURE = { model: 'standin/painter', prompt: 'A copper coin' }

/** Ten characters at $0.00002: 200,000 nano-dollars. */
export const TEXT = 'Read this.'
export const TEXT_COST_NANO = 200_000n

/** A chat completion. */
export function ask(
  site: TestSite,
  customer: TestCustomer,
  options: AskOptions = {},
): Promise<ExchangeReply> {
  return call(site, customer, 'chat', jsonBody({ ...QUESTION, ...options.body }), options)
}

/** The same question in the dialect of OpenAI's Responses. */
export function askInResponses(
  site: TestSite,
  customer: TestCustomer,
  options: AskOptions = {},
): Promise<ExchangeReply> {
  const { messages: input, ...rest } = QUESTION
  return call(site, customer, 'responses', jsonBody({ ...rest, input, ...options.body }), options)
}

/** The same question as a text to be completed. */
export function complete(
  site: TestSite,
  customer: TestCustomer,
  options: AskOptions = {},
): Promise<ExchangeReply> {
  const { messages: _messages, ...rest } = QUESTION
  const body = jsonBody({ ...rest, prompt: 'Say hello.', ...options.body })
  return call(site, customer, 'completions', body, options)
}

/** The same question in Anthropic's dialect. */
export function askInMessages(
  site: TestSite,
  customer: TestCustomer,
  options: AskOptions = {},
): Promise<ExchangeReply> {
  const body = jsonBody({ ...QUESTION, max_tokens: 1_000, ...options.body })
  return call(site, customer, 'messages', body, options)
}

/** Of one short text. */
export function embed(
  site: TestSite,
  customer: TestCustomer,
  options: AskOptions = {},
): Promise<ExchangeReply> {
  const body = jsonBody({ model: 'standin/embedder', input: 'A copper coin', ...options.body })
  return call(site, customer, 'embeddings', body, options)
}

export function draw(
  site: TestSite,
  customer: TestCustomer,
  options: AskOptions = {},
): Promise<ExchangeReply> {
  return call(site, customer, 'images', jsonBody({ ...PICTURE, ...options.body }), options)
}

/** Posts a form of pictures, written by the platform's own encoder. */
export async function editImage(
  site: TestSite,
  customer: TestCustomer,
  input: { fields?: Record<string, string>; files: readonly (readonly [string, Uint8Array<ArrayBuffer>])[] },
  options: Omit<AskOptions, 'body'> = {},
): Promise<ExchangeReply> {
  const form = new FormData()
  const fields = { model: 'standin/editor', prompt: 'A copper coin', ...input.fields }
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  for (const [name, bytes] of input.files) form.append(name, new Blob([bytes]), 'evil".exe')
  const request = new Request('http://site.test', { method: 'POST', body: form })
  const body = new Uint8Array(await request.arrayBuffer())
  return call(site, customer, 'imageEdits', body, options, request.headers.get('content-type'))
}

export function speak(
  site: TestSite,
  customer: TestCustomer,
  fields: Record<string, unknown> = {},
  options: Omit<AskOptions, 'body'> = {},
): Promise<ExchangeReply> {
  const body = jsonBody({ model: 'standin/reader', input: TEXT, voice: 'alloy', ...fields })
  return call(site, customer, 'speech', body, options)
}

/** Twelve seconds of silence, as a browser records them. */
function voiceMessage(): Blob {
  const frames = Array.from({ length: 600 }, () => OPUS_20_MS)
  return new Blob([new Uint8Array(webmFile({ frames, isSizeUnknown: true }))])
}

/** Posts a form, written by the platform's own encoder. */
export async function transcribe(
  site: TestSite,
  customer: TestCustomer,
  input: { fields?: Record<string, string>; file?: Blob; fileName?: string } = {},
  options: Omit<AskOptions, 'body'> = {},
): Promise<ExchangeReply> {
  const form = new FormData()
  form.set('model', 'standin/whisper')
  for (const [name, value] of Object.entries(input.fields ?? {})) form.set(name, value)
  form.set('file', input.file ?? voiceMessage(), input.fileName ?? 'voice.webm')
  const request = new Request('http://site.test', { method: 'POST', body: form })
  const body = new Uint8Array(await request.arrayBuffer())
  return call(site, customer, 'transcription', body, options, request.headers.get('content-type'))
}

function call(
  { exchanges, kinds }: TestSite,
  { credential }: TestCustomer,
  kind: keyof Kinds,
  body: Uint8Array,
  options: Omit<AskOptions, 'body'>,
  contentType: string | null = 'application/json',
): Promise<ExchangeReply> {
  return exchanges.begin(kinds[kind], {
    credential,
    body,
    json: () => parseJson(body, z.unknown()),
    contentType,
    querySource: options.resumeKey === undefined ? 'api' : 'web',
    takeFree: async () => {},
    idempotencyKey: options.idempotencyKey ?? null,
    mostNano: options.mostNano ?? null,
    resumeKey: options.resumeKey ?? null,
    signal: options.signal ?? new AbortController().signal,
  })
}

function jsonBody(fields: Record<string, unknown>): Uint8Array {
  return Buffer.from(JSON.stringify(fields))
}

export const newResumeKey = () => randomBytes(32).toString('base64url')

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

/** What the stand-in's small model costs by our own count, at a dollar and two for a million tokens. */
export async function ownCount(answer: string, body: Record<string, unknown> = {}) {
  const measure = measurePrompt({ ...QUESTION, ...body })
  const inputTokenCount = await estimatePromptTokens(measure, countTokens)
  const outputTokenCount = await countTokens([answer])
  const chargedNano = BigInt(inputTokenCount) * 1_000n + BigInt(outputTokenCount) * 2_000n
  return { inputTokenCount, outputTokenCount, chargedNano }
}

/** How often a background settlement is looked for; each look is a query, so no time is waited for. */
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
