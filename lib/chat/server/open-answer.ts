import 'server-only'
import type { IncomingMessage } from 'node:http'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import type { ExchangeLimits } from '../domain/exchange-limits'
import { ANSWER_BYTES_MAX } from '../domain/exchange-limits'
import { isObject } from '../domain/is-object'
import { createEventFilter, type EventFilter } from './event-filter'
import { parseJsonObject } from './json-object'
import { readFirstEvents } from './read-first-events'
import { inBandStatus, readRefusal, refusalOf } from './read-refusal'
import { readUpstreamBody } from './read-upstream-body'
import { sendUpstream } from './send-upstream'
import { UpstreamFailure } from './upstream-failure'

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

/**
 * Asks one upstream after the other until one begins to answer. Only what failed before its first event
 * is tried elsewhere. @throws UpstreamFailure of the last one, or of the first that blames the request
 */
export async function openAnswer(input: OpenInput): Promise<OpenedAnswer> {
  let failure: UpstreamFailure | null = null
  for (const upstream of input.upstreams) {
    try {
      return await askUpstream(upstream, input)
    } catch (error) {
      if (!(error instanceof UpstreamFailure) || error.kind === 'client_fault') throw error
      failure = error
    }
  }
  throw failure ?? new UpstreamFailure('refused', 'No upstream has this model at the moment.')
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
