import { z } from 'zod'

/** An upstream's transcript, in the terms of OpenAI's `verbose_json`. */
export interface Transcript {
  text: string
  language: string | null
  /** Null if the upstream does not report it. */
  durationSeconds: number | null
  /** Everything else that it returned: segments, words. */
  more: Readonly<Record<string, unknown>>
}

const seconds = z.number().finite().nonnegative().nullish().catch(null)
const label = z.string().max(64).nullish().catch(null)

const openAiTranscript = z.looseObject({
  text: z.string(),
  language: label,
  /** Some hosts write it as text. */
  duration: z
    .union([z.number(), z.string().max(32).transform(Number)])
    .pipe(z.number().finite().nonnegative())
    .nullish()
    .catch(null),
  usage: z.looseObject({ seconds }).nullish().catch(null),
})

/** The answer of an OpenAI-compatible upstream, short or verbose; null if it is not a transcript. */
export function mapOpenAiTranscript(body: unknown): Transcript | null {
  const parsed = openAiTranscript.safeParse(body)
  if (!parsed.success) return null
  const { text, language, duration, usage, ...more } = parsed.data
  return {
    text,
    language: language ?? null,
    durationSeconds: usage?.seconds ?? duration ?? null,
    more,
  }
}

const elevenLabsTranscript = z.object({
  text: z.string(),
  language_code: label,
  audio_duration_secs: seconds,
  words: z
    .array(z.object({ text: z.string(), start: seconds, end: seconds, type: label }))
    .nullish()
    .catch(null),
})

/** ElevenLabs' answer in OpenAI's terms; if it has no duration, its words show how long the recording was. */
export function mapElevenLabsTranscript(body: unknown): Transcript | null {
  const parsed = elevenLabsTranscript.safeParse(body)
  if (!parsed.success) return null
  const { text, language_code, audio_duration_secs, words } = parsed.data
  const spoken = (words ?? []).filter(({ type }) => type == null || type === 'word')
  const lastEnd = (words ?? []).reduce((latest, { end }) => Math.max(latest, end ?? 0), 0)
  return {
    text,
    language: language_code ?? null,
    durationSeconds: audio_duration_secs ?? (lastEnd > 0 ? lastEnd : null),
    more: {
      ...(spoken.length === 0
        ? {}
        : { words: spoken.map(({ text: word, start, end }) => ({ word, start, end })) }),
    },
  }
}
