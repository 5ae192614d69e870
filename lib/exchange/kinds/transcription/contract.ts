import 'server-only'
import { z } from 'zod'
import { ApiError, invalidField } from '@/lib/http/api-error'
import type { FormPart } from '@/lib/http/multipart'
import { modelId } from '../contract'
import { readForm } from '../form'

/** OpenAI's limit of a recording. */
const RECORDING_BYTES_MAX = 25 * 1024 * 1024
/** The recording and a few short fields. */
export const TRANSCRIPTION_REQUEST_BYTES_MAX = RECORDING_BYTES_MAX + 64 * 1024

/**
 * For the text before the recording, or the spelling of names in it. Whisper reads only its last 224 tokens, which is
 * no more than this; a price per second includes it. Without a limit, a host could bill a whole book by the token.
 */
const PROMPT_CHARACTER_COUNT_MAX = 1_000

const TRANSCRIPT_FORMATS = ['json', 'text', 'srt', 'vtt', 'verbose_json'] as const

/** The plain fields of `POST /v1/audio/transcriptions`. */
export const transcriptionFieldsSchema = z.object({
  model: modelId,
  /** ISO 639-1, as OpenAI wants it, or 639-3. */
  language: z
    .string()
    .regex(/^[A-Za-z]{2,3}(-[A-Za-z]{2,4})?$/, 'expected a code such as "en"')
    .optional(),
  prompt: z
    .string()
    .max(PROMPT_CHARACTER_COUNT_MAX, `expected at most ${PROMPT_CHARACTER_COUNT_MAX} characters`)
    .optional()
    .describe('Free for a model that is priced by the second.'),
  response_format: z.enum(TRANSCRIPT_FORMATS).default('json'),
  temperature: z
    .string()
    .regex(/^(0(\.\d{1,6})?|1(\.0{1,6})?)$/, 'expected a number from 0 to 1')
    .optional(),
  stream: z.literal('false', 'transcripts are not streamed here').optional(),
})

export type TranscriptionFields = z.output<typeof transcriptionFieldsSchema>

interface Recording {
  bytes: Uint8Array
  contentType: string
}

export interface TranscriptionRequest {
  fields: TranscriptionFields
  /** Lists, which a form has as repeated fields. */
  otherFields: readonly (readonly [string, string])[]
  /** Fields that were left out. */
  ignoredFields: readonly string[]
  recording: Recording
}

const KNOWN_FIELDS: ReadonlySet<string> = new Set(Object.keys(transcriptionFieldsSchema.shape))
const FILE_FIELDS = new Set(['file'])
/** Fields that cost nothing by themselves. */
const LIST_FIELDS = new Set(['timestamp_granularities[]', 'include[]'])

/** @throws ApiError invalid_request, request_too_large */
export function readTranscription(body: Uint8Array, contentType: string | null): TranscriptionRequest {
  const { texts, files } = readForm(body, contentType, { fileNames: FILE_FIELDS })
  const known = texts.filter(([name]) => KNOWN_FIELDS.has(name))
  const parsed = transcriptionFieldsSchema.safeParse(Object.fromEntries(known))
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    throw invalidField(issue?.path.join('.') || 'model', issue?.message)
  }
  const otherFields = texts.filter(([name]) => LIST_FIELDS.has(name))
  const ignored = texts
    .map(([name]) => name)
    .filter(name => !KNOWN_FIELDS.has(name) && !LIST_FIELDS.has(name))
  return {
    fields: parsed.data,
    otherFields,
    ignoredFields: [...new Set(ignored)],
    recording: readRecording(files),
  }
}

function readRecording([file, ...rest]: readonly FormPart[]): Recording {
  if (!file || rest.length > 0) throw invalidField('file', 'expected one recording')
  if (file.bytes.byteLength === 0) throw invalidField('file', 'the recording is empty')
  if (file.bytes.byteLength > RECORDING_BYTES_MAX) {
    const message = `The recording is larger than ${RECORDING_BYTES_MAX} bytes.`
    throw new ApiError('request_too_large', message, { param: 'file' })
  }
  const type = /^(audio|video)\/[\w.+-]{1,60}$/i.exec(file.contentType ?? '')?.[0]
  return {
    bytes: file.bytes,
    contentType: type ?? 'application/octet-stream',
  }
}

/**
 * OpenAI's newer models only answer in `json`, and refuse what they have no times for; older ones report the duration,
 * and the times of subtitles, only in `verbose_json`.
 */
export function askedFormat({ model, response_format }: TranscriptionFields): 'json' | 'verbose_json' {
  if (response_format !== 'json' && response_format !== 'text') return 'verbose_json'
  return /transcribe/i.test(model) ? 'json' : 'verbose_json'
}
