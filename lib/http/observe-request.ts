import 'server-only'
import { randomUUID } from 'node:crypto'
import { log, type RequestContext, requestContext } from '@/lib/observability/log'
import { metrics } from '@/lib/observability/metrics'
import { scrubText } from '@/lib/telemetry/domain/scrub-text'

/** Unknown paths share one label, since visitors can invent any number of them. */
const NO_ROUTE = 'none'

const REQUEST_ID = /^[A-Za-z0-9._:-]{1,64}$/
/** A UUID, as proxies send it, with or without hyphens. */
const NUMBERED = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i

/** An answer whose end is recorded by the code that writes it. */
export interface ObservedAnswer {
  response: Response
  /** To be called once: when the last byte was sent, or the reader has left. */
  recordEnd(bytes: number, aborted?: true): void
}

/** Runs a handler in the context that log lines and metrics are labelled by. */
export async function observeRequest(
  request: Request,
  answer: () => Promise<Response>,
): Promise<ObservedAnswer> {
  const context: RequestContext = { requestId: requestIdOf(request), route: NO_ROUTE, level: 'info' }
  const startedAtMs = performance.now()
  return requestContext.run(context, async () => {
    const response = await answer()
    const { status, headers } = response
    headers.set('x-request-id', context.requestId)
    for (const cookie of context.cookies?.values() ?? []) headers.append('set-cookie', cookie)
    const recordEnd = (bytes: number, aborted?: true) =>
      requestContext.run(context, () => {
        const { route, level } = context
        const { method } = request
        const durationMs = performance.now() - startedAtMs
        metrics.requests.inc({ method, route, status })
        metrics.requestSeconds.observe({ route }, durationMs / 1000)
        log[level]('request', { method, route, status, durationMs: Math.round(durationMs), bytes, aborted })
      })
    return { response, recordEnd }
  })
}

/** For a server that writes responses by itself, as Next does: counts the bytes on their way to it. */
export function countedResponse(request: Request, { response, recordEnd }: ObservedAnswer): Response {
  const { status, headers, body } = response
  if (body && request.method !== 'HEAD') return new Response(countBytes(body, recordEnd), { status, headers })
  // Without a reader its source would wait for ever.
  void body?.cancel()
  recordEnd(0)
  return new Response(null, { status, headers })
}

/** Sets the route pattern that the request's log lines and metrics are labelled with. */
export function nameRoute(route: string, level: RequestContext['level'] = 'info'): void {
  const context = requestContext.getStore()
  if (context) Object.assign(context, { route, level })
}

/** Sets a cookie on whatever answer the request will get; of two with the same name the last one counts. */
export function setAnswerCookie(name: string, cookie: string): void {
  const context = requestContext.getStore()
  if (context) context.cookies = new Map(context.cookies).set(name, cookie)
}

/**
 * The caller's own request id, so that the logs of both sides can be compared. It is not used if it looks like a
 * secret, or occurs elsewhere in the request.
 */
function requestIdOf({ url, headers }: Request): string {
  const given = headers.get('x-request-id') ?? ''
  if (!REQUEST_ID.test(given)) return randomUUID()
  const isHarmless = NUMBERED.test(given) || scrubText(given) === given
  const isElsewhere =
    url.includes(given) ||
    [...headers].some(([name, value]) => name !== 'x-request-id' && value.includes(given))
  return isHarmless && !isElsewhere ? given : randomUUID()
}

/** Reads only on demand, so that a reader who leaves is still noticed. */
function countBytes(
  body: ReadableStream<Uint8Array>,
  recordEnd: (bytes: number, aborted?: true) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let bytes = 0
  let isLeft = false
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          // Leaving has ended the read, and was recorded.
          if (isLeft) return
          if (done) {
            recordEnd(bytes)
            controller.close()
          } else {
            bytes += value.byteLength
            controller.enqueue(value)
          }
        } catch (error) {
          if (isLeft) return
          recordEnd(bytes, true)
          controller.error(error)
        }
      },
      cancel(reason) {
        isLeft = true
        recordEnd(bytes, true)
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}
