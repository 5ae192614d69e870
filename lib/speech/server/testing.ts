import 'server-only'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach } from '@jest/globals'
import { createCatalogue } from '@/lib/catalogue/server/create-catalogue'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import type { Database } from '@/lib/db/database'
import { hashSecret } from '@/lib/http/credential'
import type { Credential, Ledger, UsageRecord } from '@/lib/ledger/domain/ledger'
import type { MeteringLimits } from '@/lib/ledger/domain/metering-limits'
import { createEmbeddedLedger } from '@/lib/ledger/server/embedded-ledger'
import { createDatabaseReplayStore } from '@/lib/ledger/server/metering/database-replay-store'
import type { MeteredReply } from '@/lib/ledger/server/metering/metered-reply'
import { createMetering, type Metering } from '@/lib/ledger/server/metering/metering'
import { ZERO } from '@/lib/money/decimal'
import { type StandInElevenLabs, startStandInElevenLabs } from '@/test/stand-ins/elevenlabs'
import { type StandInUpstream, startStandInUpstream } from '@/test/stand-ins/upstream'
import { ELEVENLABS, ELEVENLABS_LIST } from '../domain/elevenlabs-models'
import type { SpeechLimits } from '../domain/speech-limits'
import { createSpeech, type Speech } from './create-speech'

export interface StandIns {
  readonly openAi: StandInUpstream
  readonly elevenLabs: StandInElevenLabs
}

/** Both stand-ins for a group of tests; each test begins with good behaviour and no request. */
export function useStandIns(): StandIns {
  let started: StandIns | null = null
  const running = () => {
    if (!started) throw new Error('The stand-ins run only inside a test.')
    return started
  }
  beforeAll(async () => {
    started = { openAi: await startStandInUpstream(), elevenLabs: await startStandInElevenLabs() }
  })
  afterAll(async () => {
    await started?.openAi.close()
    await started?.elevenLabs.close()
  })
  beforeEach(() => {
    running().openAi.requests.length = 0
    running().openAi.setScript({})
    running().elevenLabs.setScript({})
  })
  return {
    get openAi() {
      return running().openAi
    },
    get elevenLabs() {
      return running().elevenLabs
    },
  }
}

export interface SpeechSite {
  speech: Speech
  metering: Metering
  ledger: Ledger
}

export function startSpeechSite(options: {
  database: Database
  standIns: StandIns
  moreUpstreams?: readonly UpstreamSettings[]
  ledger?: Ledger
  limits?: Partial<SpeechLimits>
  meteringLimits?: Partial<MeteringLimits>
}): SpeechSite {
  const { database, standIns } = options
  const upstreams = [settingsOf('stand-in', standIns.openAi.baseUrl), ...(options.moreUpstreams ?? [])]
  const elevenLabs = {
    ...settingsOf(ELEVENLABS, standIns.elevenLabs.baseUrl),
    apiKey: standIns.elevenLabs.apiKey,
  }
  const ledger = options.ledger ?? createEmbeddedLedger({ database })
  const catalogue = createCatalogue({
    upstreams,
    fixedLists: [ELEVENLABS_LIST],
    modelPricesFile: null,
    priceMarkup: ZERO,
    store: { load: async () => null, save: async () => {} },
    report: () => {},
  })
  const metering = createMetering({
    ledger,
    replayStore: createDatabaseReplayStore({ database }),
    limits: { settleRetryDelaysMs: [1, 1, 1], ...options.meteringLimits },
  })
  const { limits } = options
  const speech = createSpeech({ metering, catalogue, upstreams, elevenLabs, limits, report: () => {} })
  return { speech, metering, ledger }
}

export function settingsOf(id: string, baseUrl: string): UpstreamSettings {
  return { id, baseUrl, apiKey: 'upstream-secret', setBy: 'UPSTREAM_BASE_URL' }
}

export interface Customer {
  accountId: string
  credential: Credential
}

export async function createCustomer(
  ledger: Ledger,
  amountNano: bigint,
  creditId: string = randomUUID(),
): Promise<Customer> {
  const credential: Credential = { kind: 'credit_id', secretHash: hashSecret(creditId) }
  const creditIdHash = credential.secretHash
  const { accountId } = await ledger.createAccount({ creditIdHash, firstKey: null, attribution: null })
  if (amountNano > 0n) {
    await ledger.credit({ accountId, amountNano, source: 'gateway', reference: randomUUID(), memo: {} })
  }
  return { accountId, credential }
}

interface AskOptions {
  idempotencyKey?: string
  signal?: AbortSignal
}

/** Ten characters at $0.00002: 200,000 nano-dollars. */
export const TEXT = 'Read this.'
export const TEXT_COST_NANO = 200_000n

export function ask(
  { speech }: SpeechSite,
  { credential }: Customer,
  fields: Record<string, unknown> = {},
  options: AskOptions = {},
): Promise<MeteredReply> {
  return speech.speak({
    credential,
    body: Buffer.from(JSON.stringify({ model: 'standin/reader', input: TEXT, voice: 'alloy', ...fields })),
    querySource: 'api',
    idempotencyKey: options.idempotencyKey ?? null,
    signal: options.signal ?? new AbortController().signal,
  })
}

/** Posts a form, written by the platform's own encoder. */
export async function submit(
  { speech }: SpeechSite,
  { credential }: Customer,
  input: { fields?: Record<string, string>; file?: Blob; fileName?: string },
  options: AskOptions = {},
): Promise<MeteredReply> {
  const form = new FormData()
  form.set('model', 'standin/whisper')
  for (const [name, value] of Object.entries(input.fields ?? {})) form.set(name, value)
  form.set('file', input.file ?? new Blob([new Uint8Array(9_000)]), input.fileName ?? 'voice.webm')
  const request = new Request('http://site.test', { method: 'POST', body: form })
  return speech.transcribe({
    credential,
    body: new Uint8Array(await request.arrayBuffer()),
    contentType: request.headers.get('content-type'),
    querySource: 'web',
    idempotencyKey: options.idempotencyKey ?? null,
    signal: options.signal ?? new AbortController().signal,
  })
}

export async function bytesOf(reply: MeteredReply): Promise<Buffer> {
  return Buffer.from(await new Response(reply.body).arrayBuffer())
}

/** How often a background settlement is looked for; each look is a query, so no time is waited for. */
const LOOK_COUNT_MAX = 5_000

/** The only call of an account, as soon as it is over. */
export async function usageOf(ledger: Ledger, { accountId }: Customer): Promise<UsageRecord> {
  const page = { limit: 10, cursor: null, from: null, to: null, modelId: null, keyId: null }
  for (let look = 0; look < LOOK_COUNT_MAX; look += 1) {
    const { records } = await ledger.listUsage({ accountId, ...page })
    if (records.length > 1) throw new Error(`expected one call, found ${records.length}`)
    if (records[0]) return records[0]
    await new Promise(resolve => setImmediate(resolve))
  }
  throw new Error('The call was never resolved.')
}
