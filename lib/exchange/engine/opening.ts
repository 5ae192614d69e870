import 'server-only'
import { readCost } from '@/lib/catalogue/domain/billed-cost'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { isZero } from '@/lib/money/decimal'
import { log } from '@/lib/observability/log'
import { metrics } from '@/lib/observability/metrics'
import { askUpstreams, UpstreamFailure } from '@/lib/upstream/ask-upstreams'
import { readUpstreamBody } from '@/lib/upstream/read-body'
import { readRefusal } from '@/lib/upstream/read-refusal'
import { sendUpstream } from '@/lib/upstream/send-upstream'
import { type Counted, NO_COUNTS } from '../domain/decide-charge'
import { ANSWER_BYTES_MAX, type AnswerTimes, type ExchangeLimits } from '../domain/exchange-limits'
import { failureOf, type Quote, type UpstreamCall, type WholeAnswer } from './kind'
import { type OpenStream, readFirst } from './relay'

export type OpenedStream = {
  form: 'stream'
  first: Buffer | null
  headers: Record<string, string>
} & OpenStream
export type OpenedWhole = { form: 'whole'; upstream: UpstreamSettings; answer: WholeAnswer }

interface OpenInput {
  limits: Pick<ExchangeLimits, 'connectTimeoutMs'>
  times: AnswerTimes
  signal: AbortSignal
}

/** The side of an exchange that faces the upstreams: asks them, and knows who may bill. */
interface Opening {
  /** Whether bytes of the request have left, so that an upstream may bill. */
  isSent(): boolean
  /** Asks one upstream after the other until one answers. To be called once. @throws UpstreamFailure */
  open(): Promise<OpenedStream | OpenedWhole>
  /** See `UpstreamCall`; null once an upstream answers. */
  unanswered(): ReturnType<NonNullable<UpstreamCall['unanswered']>>
  /** The upstream that may bill although it failed; null if none may. */
  upstreamBilling(failure: unknown): UpstreamSettings | null
  /** See `UpstreamCall`; zero once an upstream answers. */
  costWithoutAnswer(): Promise<Counted>
}

export function createOpening(
  input: OpenInput &
    Pick<Quote, 'upstreams'> & {
      call: UpstreamCall
      /** Called before each request, when no upstream may bill. */
      onAsking: () => void
    },
): Opening {
  const { upstreams, limits, times, signal, onAsking } = input
  /** Null once an upstream answers, so that a long answer does not keep its request in memory. */
  let call: UpstreamCall | null = input.call
  let asked: UpstreamSettings | null = null
  let isSent = false
  // Not a closure of `open`, which would keep the request in memory: a connection may hold its listener for as long
  // as the answer runs.
  const onSent = (now: boolean) => {
    isSent = now
    if (!now) onAsking()
  }
  return {
    isSent: () => isSent,
    async open() {
      const asking = call
      if (!asking) throw new Error('An upstream is asked once.')
      const opened = await askUpstreams(upstreams, async upstream => {
        asked = upstream
        try {
          return await openAnswer(asking, upstream, { limits, times, signal, onSent })
        } catch (error) {
          if (error instanceof UpstreamFailure && !signal.aborted) {
            countError(upstream, error.kind)
            // A fault of the request is not the operator's concern, and the message may repeat the sender's words.
            if (error.kind !== 'client_fault') log.warn('upstream failed', { upstream: upstream.id, error })
          }
          throw error
        }
      })
      call = null
      return opened
    },
    unanswered: () => call?.unanswered?.() ?? null,
    upstreamBilling(failure) {
      // What failed on this side, or was given up here, says nothing of what the upstream goes on with.
      const mayBill = failure instanceof UpstreamFailure ? failure.mayBill : isSent
      return mayBill ? asked : null
    },
    costWithoutAnswer: async () => call?.costWithoutAnswer() ?? { costNano: 0n, counts: NO_COUNTS },
  }
}

export function countError(
  { baseUrl }: UpstreamSettings,
  kind: UpstreamFailure['kind'] | 'broken_off',
): void {
  metrics.upstreamErrors.inc({ host: new URL(baseUrl).host, kind })
}

/** A host may report what it bills for a request that it refuses, as xAI does for a picture that it holds back. */
function withBill(
  { failure, usage }: Awaited<ReturnType<typeof readRefusal>>,
  { costWithoutAnswer }: UpstreamCall,
): UpstreamFailure {
  const reportedCost = readCost(usage)
  if (!reportedCost || isZero(reportedCost)) return failure
  const unknown = { hasOutput: false, upstreamCount: null, isBeyondPossible: false, generationId: null }
  return failureOf(failure, { ...unknown, reportedCost, localCount: costWithoutAnswer })
}

/** Some hosts name a character set there. */
const COMPRESSED = /gzip|deflate|compress|br|zstd/i

/**
 * Asks one upstream, with the rephrased call if it refuses this one, and reads the beginning of a stream or the
 * whole of any other answer.
 * @throws UpstreamFailure
 */
async function openAnswer(
  call: UpstreamCall,
  upstream: UpstreamSettings,
  input: OpenInput & { onSent: (isSent: boolean) => void },
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
    const failure = withBill(await readRefusal(response, upstream, signal), call)
    const rephrased = call.rephrased?.(failure, upstream)
    if (rephrased) return openAnswer(rephrased, upstream, input)
    throw call.refusal?.(failure, upstream) ?? failure
  }
  onSent(true)
  if (COMPRESSED.test(response.headers['content-encoding'] ?? '')) {
    response.destroy()
    // Passed on as it is, it would be charged, and no client could read it.
    const message = 'The upstream compressed its answer, although no compression was accepted.'
    throw new UpstreamFailure('refused', message, { mayBillAll: true })
  }
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
