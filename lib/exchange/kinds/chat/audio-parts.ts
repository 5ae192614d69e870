import { ApiError } from '@/lib/http/api-error'
import { isObject } from '@/lib/http/domain/is-object'
import { measureRecording } from '@/lib/speech/domain/recording-length'
import type { ChatRequest } from './contract'

/** More than any model counts for a second of sound: Gemini counts 32, OpenAI 10. */
const TOKENS_PER_SECOND_MAX = 40

/**
 * The most tokens that the recordings in a request can come to, from what their containers hold.
 * @throws ApiError unprocessable for one whose length cannot be told
 */
export function soundTokenCountMax({ messages }: ChatRequest): number {
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []))
  return parts
    .filter(({ type }) => type === 'input_audio')
    .reduce((sum, part) => sum + tokensOf(part.input_audio), 0)
}

function tokensOf(audio: unknown): number {
  const data = isObject(audio) && typeof audio.data === 'string' ? audio.data : ''
  const base64 = data.startsWith('data:') ? data.slice(data.indexOf(',') + 1) : data
  const measured = measureRecording(Buffer.from(base64, 'base64'))
  if (measured.outcome === 'measured') return Math.ceil(measured.seconds * TOKENS_PER_SECOND_MAX)
  const message = `A recording in messages is not taken: ${measured.reason}`
  throw new ApiError('unprocessable', message, { param: 'messages' })
}
