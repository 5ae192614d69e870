import { z } from 'zod'
import { countCharacters } from '@/lib/speech/domain/estimate-speech'
import { readContract } from '../contract'

export const SPEECH_FORMATS = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const
export type SpeechFormat = (typeof SPEECH_FORMATS)[number]

/** What the longest-winded model takes (ElevenLabs Flash v2.5); OpenAI's take a tenth and say so. */
export const INPUT_CHARACTER_COUNT_MAX = 40_000
/** The text in four-byte characters, escaped, and room for instructions. */
export const SPEECH_REQUEST_BYTES_MAX = 512 * 1024

/** What ElevenLabs, OpenAI and their kin use in ids of voices; it travels in a path. */
const VOICE_PATTERN = /^[\w.-]{1,100}$/

const voiceName = z
  .string()
  .regex(VOICE_PATTERN, 'expected the id of a voice; GET /v1/audio/voices lists them')
const free = z.unknown().optional()

/** Every field of `POST /v1/audio/speech` that goes to an upstream; what is not here is left out. */
export const speechRequestSchema = z.object({
  model: z.string().min(1).max(200),
  input: z
    .string()
    .max(2 * INPUT_CHARACTER_COUNT_MAX)
    .refine(text => text.trim() !== '', 'expected some text to read aloud')
    .refine(
      text => countCharacters(text) <= INPUT_CHARACTER_COUNT_MAX,
      `expected at most ${INPUT_CHARACTER_COUNT_MAX} characters`,
    ),
  /** OpenAI takes `{id}` for voices of one's own, too. */
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
