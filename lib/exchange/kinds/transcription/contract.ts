import { z } from 'zod'

/** `srt` and `vtt` need times that not every model tells. */
export const TRANSCRIPT_FORMATS = ['json', 'text', 'verbose_json'] as const

/** The plain fields of `POST /v1/audio/transcriptions`. */
export const transcriptionFieldsSchema = z.object({
  model: z.string().min(1).max(200),
  /** ISO 639-1, as OpenAI asks for it, or 639-3. */
  language: z
    .string()
    .regex(/^[A-Za-z]{2,3}(-[A-Za-z]{2,4})?$/, 'expected a code such as "en"')
    .optional(),
  prompt: z.string().max(8_000).optional(),
  response_format: z.enum(TRANSCRIPT_FORMATS).default('json'),
  temperature: z
    .string()
    .regex(/^(0(\.\d{1,6})?|1(\.0{1,6})?)$/, 'expected a number from 0 to 1')
    .optional(),
  stream: z.literal('false', 'transcripts are not streamed here').optional(),
})

export type TranscriptionFields = z.output<typeof transcriptionFieldsSchema>

/** Only what tells the container: names are nobody's business, and hostile ones nobody's problem. */
export function safeFileName(fileName: string | null): string {
  const extension = /\.([a-z0-9]{1,5})$/i.exec(fileName ?? '')?.[1]
  return extension === undefined ? 'recording' : `recording.${extension.toLowerCase()}`
}

/** Newer models of OpenAI's answer in `json` alone; older ones tell the duration in `verbose_json` alone. */
export function askedFormat({ model, response_format }: TranscriptionFields): 'json' | 'verbose_json' {
  if (response_format === 'verbose_json') return 'verbose_json'
  return /transcribe/i.test(model) ? 'json' : 'verbose_json'
}
