import { z } from 'zod'
import { INPUT_CHARACTER_COUNT_MAX } from './speech-limits'

export const SPEECH_FORMATS = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const
export type SpeechFormat = (typeof SPEECH_FORMATS)[number]

/** What ElevenLabs, OpenAI and their kin use in ids of voices; it travels in a path. */
const VOICE_PATTERN = /^[\w.-]{1,100}$/

const voiceName = z
  .string()
  .regex(VOICE_PATTERN, 'expected the id of a voice; GET /v1/audio/voices lists them')

/** `POST /v1/audio/speech`. Unknown fields are kept: the upstream may know them. */
export const speechRequestSchema = z.looseObject({
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
  voice: z.union([voiceName, z.looseObject({ id: voiceName })]).nullish(),
  response_format: z.enum(SPEECH_FORMATS).nullish(),
  speed: z.number().min(0.25).max(4).nullish(),
  instructions: z.string().max(8_000).nullish(),
})

export type SpeechRequest = z.output<typeof speechRequestSchema>

/** As vendors count them: a character outside the basic plane is one, not two. */
export function countCharacters(text: string): number {
  let count = 0
  for (const _character of text) count += 1
  return count
}
