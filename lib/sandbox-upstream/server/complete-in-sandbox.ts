import 'server-only'
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { readJson } from '@/lib/http/read-body'
import { completionRequest } from '../domain/completion-request'
import { formatEvents, formatWhole, MIDWAY_ERROR, type SandboxDialect } from '../domain/format-completion'
import { planCompletion } from '../domain/plan-completion'
import { requireContext, requireSandboxModel } from './require-model'

/** Twice what this site accepts from a caller, since a request may only grow a little on its way here. */
const REQUEST_BYTES_MAX = 64 * 1024 * 1024

/** Milliseconds between tokens: a brisk model, one slow enough to watch, and one that is quickly done. */
const PACE_MS = { usual: 20, slow: 250, fast: 8 } as const

/**
 * `POST /chat/completions` of the practice models, or another dialect's equivalent.
 * @throws ApiError for a malformed request
 */
export async function completeInSandbox(
  request: Request,
  { paceMs, dialect }: { paceMs?: number; dialect?: SandboxDialect } = {},
): Promise<Response> {
  let sent: unknown
  const asSent = (value: unknown) => {
    sent = value
    return value
  }
  const schema = z.preprocess(asSent, dialect?.request ?? completionRequest)
  const body = await readJson(request, schema, REQUEST_BYTES_MAX)
  const model = requireSandboxModel(body.model)
  const plan = planCompletion(body, sent)
  requireContext(model, plan.usage.prompt_tokens)
  const envelope = {
    id: `chatcmpl-${randomUUID()}`,
    model: body.model,
    createdSeconds: Math.floor(Date.now() / 1000),
  }
  if (body.stream) {
    const includeUsage = body.stream_options?.include_usage === true
    const events = dialect
      ? namedEvents(dialect.events(envelope, plan))
      : chatEvents(formatEvents(envelope, plan, includeUsage))
    return new Response(streamEvents(events, paceMs ?? PACE_MS[plan.pace]), {
      headers: {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      },
    })
  }
  if (plan.finishReason === 'error') return Response.json(MIDWAY_ERROR, { status: 502 })
  const whole = (dialect?.whole ?? formatWhole)(envelope, plan)
  return Response.json(whole, { headers: { 'cache-control': 'no-store' } })
}

function* chatEvents(events: Iterable<object>): Generator<string> {
  for (const event of events) yield `data: ${JSON.stringify(event)}\n\n`
  yield 'data: [DONE]\n\n'
}

function* namedEvents(events: Iterable<{ type: string }>): Generator<string> {
  for (const event of events) yield `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}

/** Server-sent events at a steady pace, generated only as fast as they are read; ends when the reader leaves. */
function streamEvents(events: Iterable<string>, paceMs: number): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const iterator = events[Symbol.iterator]()
  const left = new AbortController()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (paceMs > 0) await wait(paceMs, undefined, { signal: left.signal }).catch(() => {})
        if (left.signal.aborted) return
        const next = iterator.next()
        if (next.done) controller.close()
        else controller.enqueue(encoder.encode(next.value))
      },
      cancel() {
        left.abort()
      },
    },
    { highWaterMark: 1 },
  )
}
