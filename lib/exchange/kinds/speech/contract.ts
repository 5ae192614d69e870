import { z } from 'zod'
import { countCharacters } from '@/lib/speech/domain/estimate-speech'
import { free, modelId, readContract } from '../contract'

const SPEECH_FORMATS = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const
export type SpeechFormat = (typeof SPEECH_FORMATS)[number]

/** The limit of the model with the longest (ElevenLabs Flash v2.5); OpenAI's models refuse more than a tenth. */
const INPUT_CHARACTER_COUNT_MAX = 40_000
/** Enough for the text in escaped four-byte characters, and for instructions. */
export const SPEECH_REQUEST_BYTES_MAX = 512 * 1024

/** The characters of voice ids, which become part of a path. */
const VOICE_PATTERN = /^(?!\.+$)[\w.-]{1,100}$/

const voiceName = z
  .string()
  .regex(VOICE_PATTERN, 'expected the id of a voice; GET /v1/audio/voices lists them')
/** Every field of `POST /v1/audio/speech` that goes to an upstream; others are left out. */
export const speechRequestSchema = z.object({
  model: modelId,
  input: z
    .string()
    .max(2 * INPUT_CHARACTER_COUNT_MAX)
    .refine(text => text.trim() !== '', 'expected some text to read aloud')
    .refine(
      text => countCharacters(text) <= INPUT_CHARACTER_COUNT_MAX,
      `expected at most ${INPUT_CHARACTER_COUNT_MAX} characters`,
    ),
  /** OpenAI also accepts `{id}`, for custom voices. */
  voice: z.union([voiceName, z.object({ id: voiceName })]).nullish(),
  response_format: z.enum(SPEECH_FORMATS).nullish(),
  speed: z.number().min(0.25).max(4).nullish(),
  instructions: z.string().max(8_000).nullish(),
  stream_format: z.enum(['audio', 'sse']).nullish(),
  voice_settings: z.looseObject({}).nullish(),
  language_code: z.string().max(16).nullish(),
  seed: free,
  apply_text_normalization: free,
})

export type SpeechRequest = z.output<typeof speechRequestSchema>

/** @throws ApiError invalid_request naming the field */
export function readSpeechRequest(body: unknown): { request: SpeechRequest; ignoredFields: string[] } {
  return readContract(body, speechRequestSchema, {
    refused: { service_tier: 'only the standard tier is offered here' },
  })
}

/**
 * Nominal sizes of a second of speech in OpenAI's formats. They matter only if the sound broke off.
 */
export const BYTES_PER_SECOND: Readonly<Record<SpeechFormat, number>> = {
  mp3: 16_000,
  opus: 8_000,
  aac: 12_000,
  flac: 24_000,
  wav: 48_000,
  pcm: 48_000,
}

const CONTENT_TYPES: Readonly<Record<SpeechFormat, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
}

/**
 * The content types that may be passed on from this site's origin: sound, or the events that some models send it in.
 * Null for anything else, such as a page.
 */
export function soundType(contentType: string | undefined, format: SpeechFormat): string | null {
  const [type = ''] = (contentType ?? '').toLowerCase().split(';')
  const name = type.trim()
  if (/^audio\/[\w.+-]{1,40}$/.test(name)) return name
  if (name === '' || name === 'application/octet-stream') return CONTENT_TYPES[format]
  return name === 'text/event-stream' ? 'text/event-stream; charset=utf-8' : null
}
