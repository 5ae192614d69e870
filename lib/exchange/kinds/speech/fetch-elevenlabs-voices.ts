import 'server-only'
import { fetchBoundedText } from '@/lib/catalogue/server/fetch-bounded-text'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { parseJsonObject } from '@/lib/upstream/read-body'
import { type ListedVoice, parseElevenLabsVoices } from './parse-elevenlabs-voices'

/** The most that ElevenLabs gives at once. */
const PAGE_SIZE = 100
/** A thousand voices are more than anybody reads through. */
const PAGE_COUNT_MAX = 10
const PAGE_BYTES_MAX = 4 * 1024 * 1024
const PAGE_TIMEOUT_MS = 10_000

export type FetchedVoices =
  | { outcome: 'listed'; voices: ListedVoice[] }
  | { outcome: 'failed'; reason: string }

/** Every page of `GET /v2/voices`. Failing is an expected result: the last good copy goes on serving. */
export async function fetchElevenLabsVoices(elevenLabs: UpstreamSettings): Promise<FetchedVoices> {
  const byId = new Map<string, ListedVoice>()
  let token: string | null = null
  try {
    for (let page = 0; page < PAGE_COUNT_MAX; page += 1) {
      const next = await fetchPage(elevenLabs, token)
      if (typeof next === 'string') return { outcome: 'failed', reason: next }
      for (const voice of next.voices) byId.set(voice.id, voice)
      token = next.nextPageToken
      if (token === null) break
    }
    return { outcome: 'listed', voices: [...byId.values()] }
  } catch (error) {
    // The name alone: fetch's own messages can repeat a URL with a password in it.
    return { outcome: 'failed', reason: error instanceof Error ? error.name : 'unknown reason' }
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
