import 'server-only'
import type { Catalogue, Model } from '@/lib/catalogue/domain/model'
import { OPENAI_VOICES } from '@/lib/catalogue/domain/openai-voices'
import { fetchBoundedText } from '@/lib/catalogue/server/fetch-bounded-text'
import { FRESH_MS, keepList, RETRY_MS } from '@/lib/catalogue/server/keep-list'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { log } from '@/lib/observability/log'
import { ELEVENLABS } from '@/lib/speech/domain/elevenlabs-models'
import { parseJsonObject } from '@/lib/upstream/read-body'
import { type ListedVoice, parseElevenLabsVoices } from './parse-elevenlabs-voices'
import type { Voice } from './voice'

/** The most that ElevenLabs gives at once. */
const PAGE_SIZE = 100
/** A thousand voices are more than anybody reads through. */
const PAGE_COUNT_MAX = 10
const PAGE_BYTES_MAX = 4 * 1024 * 1024
const PAGE_TIMEOUT_MS = 10_000

/**
 * Lists the voices of every speech model: ElevenLabs' own list, kept by `keepList` (the last good one while ElevenLabs
 * does not answer), and OpenAI's names for all other models, whose hosts publish none.
 */
export function createVoices(input: {
  catalogue: Catalogue
  elevenLabs: UpstreamSettings | null
  /** See `keepList`. */
  keepAlive?: (work: Promise<unknown>) => void
  /** See `keepList`. */
  now?: () => number
  report?: (message: string) => void
}): () => Promise<readonly Voice[]> {
  const { catalogue, elevenLabs, keepAlive, now = () => performance.now() } = input
  const report = input.report ?? (message => log.warn(message))
  const failed = (reason: string) =>
    report(`voices: the voices of ElevenLabs could not be fetched (${reason}).`)

  async function load(last: readonly ListedVoice[] | null) {
    if (!elevenLabs) return { list: [], freshMs: FRESH_MS }
    const fetched = await fetchElevenLabsVoices(elevenLabs)
    if (typeof fetched !== 'string') return { list: fetched, freshMs: FRESH_MS }
    failed(fetched)
    return { list: last ?? [], freshMs: RETRY_MS }
  }

  const elevenLabsVoices = keepList<readonly ListedVoice[]>({
    load,
    isEmpty: voices => voices.length === 0,
    keepAlive,
    now,
    onFailure: () => failed('unknown reason'),
  })

  return async () => {
    const models = (await catalogue.listModels()).filter(({ kind }) => kind === 'speech')
    const ofElevenLabs = models.filter(isOfElevenLabs).map(({ id }) => id)
    const listed = ofElevenLabs.length === 0 ? [] : await elevenLabsVoices.current()
    return [...listed.map(voice => ({ ...voice, models: ofElevenLabs })), ...otherVoices(models)]
  }
}

/** Every page of `GET /v2/voices`; or a text, which says why there are none. */
async function fetchElevenLabsVoices(elevenLabs: UpstreamSettings): Promise<ListedVoice[] | string> {
  const byId = new Map<string, ListedVoice>()
  let token: string | null = null
  try {
    for (let page = 0; page < PAGE_COUNT_MAX; page += 1) {
      const next = await fetchPage(elevenLabs, token)
      if (typeof next === 'string') return next
      for (const voice of next.voices) byId.set(voice.id, voice)
      token = next.nextPageToken
      if (token === null) break
    }
    return [...byId.values()]
  } catch (error) {
    // The name alone: fetch's own messages can repeat a URL with a password in it.
    return error instanceof Error ? error.name : 'unknown reason'
  }
}

/** One page of voices; or a text, which says why there is none. */
async function fetchPage({ baseUrl, apiKey }: UpstreamSettings, token: string | null) {
  const query = new URLSearchParams({
    page_size: String(PAGE_SIZE),
    ...(token === null ? {} : { next_page_token: token }),
  })
  const { status, text } = await fetchBoundedText({
    url: `${baseUrl}/v2/voices?${query}`,
    apiKey: null,
    headers: { 'xi-api-key': apiKey ?? '' },
    timeoutMs: PAGE_TIMEOUT_MS,
    bytesMax: PAGE_BYTES_MAX,
  })
  if (status !== 200) return `status ${status}`
  return parseElevenLabsVoices(parseJsonObject(text)) ?? 'not a list of voices'
}

function isOfElevenLabs({ upstreamIds }: Model): boolean {
  return upstreamIds.includes(ELEVENLABS)
}

/** The sandbox model has one voice; all others are assumed to have OpenAI's, unless the operator names theirs. */
function otherVoices(models: readonly Model[]): Voice[] {
  const others = models.filter(model => !isOfElevenLabs(model))
  const practice = others.filter(({ upstreamIds }) => upstreamIds.includes('sandbox'))
  const unlisted = others.filter(({ upstreamIds }) => !upstreamIds.includes('sandbox'))
  const voicesOf = ({ voices }: Model): readonly string[] => voices ?? OPENAI_VOICES
  return [
    ...practice.map(({ id, name, description }) => ({
      ...NOTHING_TOLD,
      id: 'hum',
      name,
      description,
      models: [id],
    })),
    ...[...new Set(unlisted.flatMap(voicesOf))].map(id => ({
      ...NOTHING_TOLD,
      id,
      name: voiceName(id),
      models: unlisted.filter(model => voicesOf(model).includes(id)).map(model => model.id),
    })),
  ]
}

/** OpenAI's voices have names, in small letters; elsewhere an id may be anything. */
function voiceName(id: string): string {
  return /^[a-z]+$/.test(id) ? id.charAt(0).toUpperCase() + id.slice(1) : id
}

const NOTHING_TOLD = { language: null, description: null, previewUrl: null }
