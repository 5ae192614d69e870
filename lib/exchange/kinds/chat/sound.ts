import 'server-only'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Model } from '@/lib/catalogue/domain/model'
import { ApiError } from '@/lib/http/api-error'
import { asText, fieldsOf } from '@/lib/http/domain/is-object'
import { measureRecording } from '@/lib/speech/domain/recording-length'
import { heardTokenCountMax } from '@/lib/speech/domain/recording-tokens'
import type { ChatRequest } from './contract'

/**
 * The most tokens that the recordings in a request can come to, by what their containers hold. Each one takes some
 * work, so others get a turn between them.
 * @throws ApiError unprocessable for a recording whose length cannot be determined
 */
export async function soundTokenCountMax(
  { messages }: ChatRequest,
  models: readonly Model[],
): Promise<number> {
  const modelIds = models.map(({ id }) => id)
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []))
  let tokenCount = 0
  for (const { input_audio: audio } of parts.filter(({ type }) => type === 'input_audio')) {
    tokenCount += tokensOf(audio, modelIds)
    await nextTurn()
  }
  return tokenCount
}

function tokensOf(audio: unknown, modelIds: readonly string[]): number {
  const data = asText(fieldsOf(audio).data)
  const base64 = data.startsWith('data:') ? data.slice(data.indexOf(',') + 1) : data
  const measured = isBase64(base64)
    ? measureRecording(Buffer.from(base64, 'base64'))
    : { outcome: 'refused' as const, reason: 'expected one piece of base64.' }
  if (measured.outcome === 'measured') return heardTokenCountMax(measured.seconds, modelIds)
  const message = `A recording in messages is not accepted: ${measured.reason}`
  throw new ApiError('unprocessable', message, { param: 'messages' })
}

/** Decoders differ on anything else: some end at the first `=`, and some skip unknown characters. */
function isBase64(text: string): boolean {
  const end = text.search(/[^A-Za-z0-9+/]/)
  return end === -1 || /^={1,2}$/.test(text.slice(end))
}
