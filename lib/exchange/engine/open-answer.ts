import 'server-only'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { readUpstreamBody } from '@/lib/upstream/read-answer'
import { readRefusal } from '@/lib/upstream/read-refusal'
import { sendUpstream } from '@/lib/upstream/send-upstream'
import { ANSWER_BYTES_MAX, type AnswerTimes, type ExchangeLimits } from '../domain/exchange-limits'
import type { UpstreamCall, WholeAnswer } from './kind'
import { type OpenStream, readFirst } from './relay'

export type OpenedStream = {
  form: 'stream'
  first: Buffer | null
  headers: Record<string, string>
} & OpenStream
export type OpenedWhole = { form: 'whole'; upstream: UpstreamSettings; answer: WholeAnswer }

/**
 * Asks one upstream, in other words where it refuses these, and reads the beginning of its answer, or all of one
 * that comes in one piece.
 * @throws UpstreamFailure
 */
export async function openAnswer(
  call: UpstreamCall,
  upstream: UpstreamSettings,
  input: {
    limits: Pick<ExchangeLimits, 'connectTimeoutMs'>
    times: AnswerTimes
    signal: AbortSignal
    /** Whether the request has left, which an upstream may bill. */
    onSent: (isSent: boolean) => void
  },
): Promise<OpenedStream | OpenedWhole> {
  const { limits, times, signal, onSent } = input
  onSent(false)
  const request = await call.requestTo(upstream)
  const response = await sendUpstream({
    ...request,
    connectTimeoutMs: limits.connectTimeoutMs,
    firstByteTimeoutMs: times.firstByteTimeoutMs,
    signal,
    onSent: () => onSent(true),
  })
  if (response.statusCode !== 200) {
    const failure = await readRefusal(response, upstream, signal)
    const otherwise = call.otherwise?.(failure, upstream)
    if (otherwise) return openAnswer(otherwise, upstream, input)
    throw call.refusal?.(failure, upstream) ?? failure
  }
  onSent(true)
  const opened = call.open(response, upstream)
  if (opened.form === 'whole') {
    const bounds = { bytesMax: ANSWER_BYTES_MAX, timeoutMs: times.bodyTimeoutMs, signal }
    return { form: 'whole', upstream, answer: opened.read(await readUpstreamBody(response, bounds)) }
  }
  const { reader, headers } = opened
  const begun = { upstream, response, reader }
  const first = await readFirst(begun, { timeoutMs: times.firstByteTimeoutMs, signal })
  return { form: 'stream', ...begun, first, headers }
}
