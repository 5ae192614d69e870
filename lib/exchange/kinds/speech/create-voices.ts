import 'server-only'
import type { Catalogue, Model } from '@/lib/catalogue/domain/model'
import { OPENAI_VOICES } from '@/lib/catalogue/domain/openai-voices'
import { FRESH_MS, keepList, RETRY_MS } from '@/lib/catalogue/server/keep-list'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { log } from '@/lib/observability/log'
import { ELEVENLABS } from '@/lib/speech/domain/elevenlabs-models'
import { fetchElevenLabsVoices } from './fetch-elevenlabs-voices'
import type { ListedVoice } from './parse-elevenlabs-voices'
import type { Voice } from './voice'

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
    if (fetched.outcome === 'listed') return { list: fetched.voices, freshMs: FRESH_MS }
    failed(fetched.reason)
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
