/** More than any model counts for a second of sound: Gemini counts 32, OpenAI 10. */
const SOUND_PER_SECOND_MAX = 40
/** Fills each recording up with silence (`chunk_length_s` in mistral-common), and counts that, too. */
const PADDED = { pattern: /voxtral/i, seconds: 30 }

/** The most tokens that any of these models counts for a recording. */
export function heardTokenCountMax(seconds: number, modelIds: readonly string[]): number {
  const isPadded = modelIds.some(id => PADDED.pattern.test(id))
  const heardSeconds = isPadded ? Math.ceil(seconds / PADDED.seconds) * PADDED.seconds : seconds
  return Math.ceil(heardSeconds * SOUND_PER_SECOND_MAX)
}

/** Fewer than any model counts for a second of sound. A host that reports less has not counted the sound. */
export const SOUND_PER_SECOND_MIN = 1

/** Nobody speaks faster in any script, however little of it a token holds. */
const WRITTEN_PER_SECOND_MAX = 25
/** What a model may write about nothing: https://developers.openai.com/api/docs/models/gpt-4o-transcribe */
const WRITTEN_MAX = 2_000

/** The most tokens that a transcript has. */
export function transcriptTokenCountMax(seconds: number): number {
  return Math.max(WRITTEN_MAX, Math.ceil(seconds * WRITTEN_PER_SECOND_MAX))
}

/** A little more than OpenAI's models count for a second of lively speech. */
export const LIKELY_PER_SECOND = { sound: 12, written: 6 } as const
