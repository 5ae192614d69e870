import 'server-only'
import type { Catalogue, Model } from '@/lib/catalogue/domain/model'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { log } from '@/lib/observability/log'
import { ELEVENLABS } from '@/lib/speech/domain/elevenlabs-models'
import { fetchElevenLabsVoices } from './fetch-elevenlabs-voices'
import type { ListedVoice } from './parse-elevenlabs-voices'
import { OPENAI_VOICES, type Voice } from './voice'

/** Voices rarely change; a few minutes of delay do not matter. */
const FRESH_MS = 5 * 60_000
/** After a failure the list is fetched again sooner, but not for every visitor. */
const RETRY_MS = 15_000

/**
 * Lists the voices of every speech model: ElevenLabs' own list, cached (with the last good copy while ElevenLabs does
 * not answer), and OpenAI's names for all other models, whose hosts publish none.
 */
export function createVoices(input: {
  catalogue: Catalogue
  elevenLabs: UpstreamSettings | null
  now?: () => number
  report?: (message: string) => void
}): () => Promise<readonly Voice[]> {
  const { catalogue, elevenLabs, now = Date.now } = input
  const report = input.report ?? (message => log.warn(message))
  let copy: { voices: readonly ListedVoice[]; staleAt: number } = { voices: [], staleAt: 0 }
  let refreshing: Promise<void> | null = null

  async function load(upstream: UpstreamSettings): Promise<void> {
    const fetched = await fetchElevenLabsVoices(upstream)
    if (fetched.outcome === 'failed')
      report(`voices: the voices of ElevenLabs could not be fetched (${fetched.reason}).`)
    copy =
      fetched.outcome === 'listed'
        ? { voices: fetched.voices, staleAt: now() + FRESH_MS }
        : { ...copy, staleAt: now() + RETRY_MS }
  }

  async function elevenLabsVoices(): Promise<readonly ListedVoice[]> {
    if (!elevenLabs) return []
    if (now() >= copy.staleAt) {
      refreshing ??= load(elevenLabs).finally(() => {
        refreshing = null
      })
      // With a copy, that is served at once; without one, the request waits.
      if (copy.voices.length === 0) await refreshing
    }
    return copy.voices
  }

  return async () => {
    const models = (await catalogue.listModels()).filter(({ kind }) => kind === 'speech')
    const ofElevenLabs = models.filter(isOfElevenLabs).map(({ id }) => id)
    const listed = ofElevenLabs.length === 0 ? [] : await elevenLabsVoices()
    return [...listed.map(voice => ({ ...voice, models: ofElevenLabs })), ...otherVoices(models)]
  }
}

function isOfElevenLabs({ upstreamIds }: Model): boolean {
  return upstreamIds.includes(ELEVENLABS)
}

/** The sandbox model has one voice; all others are assumed to have OpenAI's. */
function otherVoices(models: readonly Model[]): Voice[] {
  const others = models.filter(model => !isOfElevenLabs(model))
  const practice = others.filter(({ upstreamIds }) => upstreamIds.includes('sandbox'))
  const openAi = others.filter(({ upstreamIds }) => !upstreamIds.includes('sandbox'))
  return [
    ...practice.map(({ id, name, description }) => ({
      ...NOTHING_TOLD,
      id: 'hum',
      name,
      description,
      models: [id],
    })),
    ...(openAi.length === 0 ? [] : OPENAI_VOICES).map(id => ({
      ...NOTHING_TOLD,
      id,
      name: id.charAt(0).toUpperCase() + id.slice(1),
      models: openAi.map(model => model.id),
    })),
  ]
}

const NOTHING_TOLD = { language: null, description: null, previewUrl: null }
