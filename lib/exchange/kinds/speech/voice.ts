import type { SpeechRequest } from './contract'

/** One entry of `GET /v1/audio/voices`. */
export interface Voice {
  readonly id: string
  readonly name: string
  /** As its vendor writes it, mostly a code such as `en`; null when not told. */
  readonly language: string | null
  readonly description: string | null
  /** Only over https, so that a page may play it. */
  readonly previewUrl: string | null
  /** The models that speak with it. */
  readonly models: readonly string[]
}

/** The voice that a request asks for, by whichever of OpenAI's two spellings; null for none. */
export function voiceOf({ voice }: SpeechRequest): string | null {
  return (typeof voice === 'object' ? voice?.id : voice) ?? null
}
