import 'server-only'
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { ApiError } from '@/lib/http/api-error'
import { readJson } from '@/lib/http/read-body'
import { completionRequest } from '../domain/completion-request'
import { formatEvents, formatWhole, MIDWAY_ERROR } from '../domain/format-completion'
import { planCompletion } from '../domain/plan-completion'
import { hasSandboxModel } from '../domain/sandbox-models'

/** As much as this site forwards to any upstream: long conversations with several pictures. */
const REQUEST_BYTES_MAX = 64 * 1024 * 1024

/** Milliseconds between tokens: a brisk model, one to watch, and one that is done before you tire. */
const PACE_MS = { usual: 20, slow: 250, fast: 8 } as const

/** `POST /chat/completions` of the practice models. @throws ApiError for a malformed request */
export async function completeInSandbox(request: Request, paceMs?: number): Promise<Response> {
  const body = await readJson(request, completionRequest, REQUEST_BYTES_MAX)
  if (!hasSandboxModel(body.model)) {
    throw new ApiError('model_not_found', `The model ${body.model} does not exist.`, { param: 'model' })
  }
  const plan = planCompletion(body)
  const envelope = {
    id: `chatcmpl-${randomUUID()}`,
    model: body.model,
    createdSeconds: Math.floor(Date.now() / 1000),
  }
  if (body.stream) {
    const events = formatEvents(envelope, plan, body.stream_options?.include_usage === true)
    return new Response(streamEvents(events, paceMs ?? PACE_MS[plan.pace]), {
      headers: {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      },
    })
  }
  if (plan.finishReason === 'error') return Response.json(MIDWAY_ERROR, { status: 502 })
  return Response.json(formatWhole(envelope, plan), { headers: { 'cache-control': 'no-store' } })
}

const DONE = 'data: [DONE]\n\n'

/** Server-sent events at an even pace, made only as fast as they are read; ends when the reader leaves. */
function streamEvents(events: Iterable<object>, paceMs: number): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const iterator = events[Symbol.iterator]()
  const left = new AbortController()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (paceMs > 0) await wait(paceMs, undefined, { signal: left.signal }).catch(() => {})
        if (left.signal.aborted) return
        const next = iterator.next()
        controller.enqueue(encoder.encode(next.done ? DONE : `data: ${JSON.stringify(next.value)}\n\n`))
        if (next.done) controller.close()
      },
      cancel() {
        left.abort()
      },
    },
    { highWaterMark: 1 },
  )
}
