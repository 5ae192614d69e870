import { z } from 'zod'
import type { Voice } from './voice'

/** A voice before it is known which models speak with it. */
export type ListedVoice = Omit<Voice, 'models'>

const NAME_LENGTH_MAX = 100
const DESCRIPTION_LENGTH_MAX = 500
const URL_LENGTH_MAX = 1_000

const text = z.string().nullish().catch(null)
const voiceItem = z.object({
  voice_id: z.string().regex(/^[\w-]{1,64}$/),
  name: text,
  description: text,
  preview_url: text,
  labels: z.object({ language: text }).nullish().catch(null),
  verified_languages: z
    .array(z.object({ language: text }))
    .nullish()
    .catch(null),
  sharing: z.object({ rate: z.number().nullish(), fiat_rate: z.number().nullish() }).nullish(),
})
const voicePage = z.object({
  voices: z.array(z.unknown()),
  has_more: z.boolean().nullish().catch(null),
  next_page_token: text,
})

export interface VoicePage {
  voices: ListedVoice[]
  /** Null: this was the last page. */
  nextPageToken: string | null
}

/**
 * `GET /v2/voices` of ElevenLabs. Null when it is no such page; voices that cannot be read are left out, and those
 * that cost more than their model.
 */
export function parseElevenLabsVoices(value: unknown): VoicePage | null {
  const page = voicePage.safeParse(value)
  if (!page.success) return null
  const voices = page.data.voices.flatMap(entry => {
    const voice = voiceItem.safeParse(entry)
    return voice.success && costsWhatItsModelDoes(voice.data) ? [mapVoice(voice.data)] : []
  })
  return { voices, nextPageToken: page.data.has_more ? page.data.next_page_token || null : null }
}

/**
 * Who shares a voice in the library may ask for more: a multiple of the model's price (`rate`), or dollars per 1,000
 * credits (`fiat_rate`, null where it is the usual one). `LibraryVoiceResponse` and `VoiceSharingResponse` of
 * https://github.com/elevenlabs/elevenlabs-python.
 */
function costsWhatItsModelDoes({ sharing }: z.output<typeof voiceItem>): boolean {
  return (sharing?.rate ?? 1) <= 1 && sharing?.fiat_rate == null
}

function mapVoice(voice: z.output<typeof voiceItem>): ListedVoice {
  const language = voice.labels?.language ?? voice.verified_languages?.[0]?.language
  return {
    id: voice.voice_id,
    name: (voice.name?.trim() || voice.voice_id).slice(0, NAME_LENGTH_MAX),
    language: language?.slice(0, 32) || null,
    description: voice.description?.trim().slice(0, DESCRIPTION_LENGTH_MAX) || null,
    previewUrl: secureUrl(voice.preview_url),
  }
}

/** Null for whatever a page must not load. */
function secureUrl(address: string | null | undefined): string | null {
  if (!address || address.length > URL_LENGTH_MAX || !URL.canParse(address)) return null
  const { protocol, username, password, href } = new URL(address)
  return protocol === 'https:' && username === '' && password === '' ? href : null
}
