import 'server-only'
import { randomUUID } from 'node:crypto'
import { log, type RequestContext, requestContext } from '@/lib/observability/log'
import { metrics } from '@/lib/observability/metrics'
import { scrubText } from '@/lib/telemetry/domain/scrub-text'

/** Every path that is no route counts as this one: what visitors invent is no label. */
const NO_ROUTE = 'none'

const REQUEST_ID = /^[A-Za-z0-9._:-]{1,64}$/
/** As proxies number requests. */
const NUMBERED = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i

/** An answer, and how its end is told: by whoever writes it. */
export interface ObservedAnswer {
  response: Response
  /** Once, when its last byte has gone or its reader has. */
  recordEnd(bytes: number, aborted?: true): void
}

/** Answers within the request's context. */
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

/** For a server that takes responses and writes them itself: the bytes are counted on their way to it. */
export function countedResponse(request: Request, { response, recordEnd }: ObservedAnswer): Response {
  const { status, headers, body } = response
  if (body && request.method !== 'HEAD') return new Response(countBytes(body, recordEnd), { status, headers })
  // Whoever writes it would wait for a reader.
  void body?.cancel()
  recordEnd(0)
  return new Response(null, { status, headers })
}

/** From here on the request's lines and figures go by the pattern of its route. */
export function nameRoute(route: string, level: RequestContext['level'] = 'info'): void {
  const context = requestContext.getStore()
  if (context) Object.assign(context, { route, level })
}

/** Sets a cookie with the answer, whatever it will be; of two by one name the last. */
export function setAnswerCookie(name: string, cookie: string): void {
  const context = requestContext.getStore()
  if (context) context.cookies = new Map(context.cookies).set(name, cookie)
}

/**
 * The caller's own number, so that both sides' logs can be laid beside each other. One that looks like a
 * secret, or is one that this request shows, is not taken.
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

/** Passed on as it is asked for, so that whoever leaves is noticed as before. */
function countBytes(
  body: ReadableStream<Uint8Array>,
  recordEnd: (bytes: number, aborted?: true) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let bytes = 0
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (done) {
            recordEnd(bytes)
            controller.close()
          } else {
            bytes += value.byteLength
            controller.enqueue(value)
          }
        } catch (error) {
          recordEnd(bytes, true)
          controller.error(error)
        }
      },
      cancel(reason) {
        recordEnd(bytes, true)
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}
