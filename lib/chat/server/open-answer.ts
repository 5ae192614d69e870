import 'server-only'
import type { IncomingMessage } from 'node:http'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { isObject } from '@/lib/http/domain/is-object'
import { askUpstreams } from '@/lib/http/upstream/ask-upstreams'
import { parseJsonObject } from '@/lib/http/upstream/json-object'
import { inBandStatus, readRefusal, refusalOf } from '@/lib/http/upstream/read-refusal'
import { readUpstreamBody } from '@/lib/http/upstream/read-upstream-body'
import { sendUpstream } from '@/lib/http/upstream/send-upstream'
import { UpstreamFailure } from '@/lib/http/upstream/upstream-failure'
import { ANSWER_BYTES_MAX } from '@/lib/ledger/domain/metering-limits'
import type { ExchangeLimits } from '../domain/exchange-limits'
import { createEventFilter, type EventFilter } from './event-filter'
import { readFirstEvents } from './read-first-events'

/** An upstream that has begun to answer. */
export type OpenedAnswer =
  | {
      kind: 'stream'
      upstreamId: string
      response: IncomingMessage
      filter: EventFilter
      first: Buffer | null
    }
  | { kind: 'whole'; upstreamId: string; body: Record<string, unknown> }

export interface OpenInput {
  upstreams: readonly UpstreamSettings[]
  streamed: boolean
  bodyFor: (upstream: UpstreamSettings) => Buffer
  limits: ExchangeLimits
  signal: AbortSignal
}

/** @throws UpstreamFailure of the last one, or of the first that blames the request */
export function openAnswer(input: OpenInput): Promise<OpenedAnswer> {
  return askUpstreams(input.upstreams, upstream => askUpstream(upstream, input))
}

async function askUpstream(upstream: UpstreamSettings, input: OpenInput): Promise<OpenedAnswer> {
  const { limits, signal, streamed } = input
  const response = await sendUpstream({
    upstream,
    path: '/chat/completions',
    body: input.bodyFor(upstream),
    connectTimeoutMs: limits.connectTimeoutMs,
    firstByteTimeoutMs: streamed ? limits.firstByteTimeoutMs : limits.wholeAnswerTimeoutMs,
    signal,
  })
  if (response.statusCode !== 200) throw await readRefusal(response, upstream, signal)
  const isJson = /^application\/json/i.test(response.headers['content-type'] ?? '')
  if (streamed && !isJson) return await openStream(response, upstream, input)
  const bytes = await readUpstreamBody(response, {
    bytesMax: ANSWER_BYTES_MAX,
    timeoutMs: limits.wholeAnswerTimeoutMs,
    signal,
  })
  const body = parseJsonObject(bytes.toString('utf8'))
  if (isObject(body?.error)) throw refusalOf(inBandStatus(body.error), body.error, upstream)
  if (!body || streamed || !Array.isArray(body.choices)) {
    throw new UpstreamFailure('refused', 'The upstream answered with something else than an answer.')
  }
  return { kind: 'whole', upstreamId: upstream.id, body }
}

async function openStream(
  response: IncomingMessage,
  upstream: UpstreamSettings,
  { limits, signal }: OpenInput,
): Promise<OpenedAnswer> {
  const filter = createEventFilter()
  const first = await readFirstEvents({ response, filter, timeoutMs: limits.firstByteTimeoutMs, signal })
  if (first === null && filter.error !== null) {
    response.destroy()
    throw refusalOf(inBandStatus(filter.error), filter.error, upstream)
  }
  return { kind: 'stream', upstreamId: upstream.id, response, filter, first }
}
