import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { Gates } from './upstream-gates'
import type { Answer, RecordedRequest, Step } from './upstream-script'
import {
  type ChatRequest,
  type Counts,
  defaultFinishReason,
  deltaOf,
  type Envelope,
  formatChoice,
  formatChunk,
  formatCompletion,
  formatUsage,
  parseChatRequest,
} from './upstream-wire'
import { createEventWriter } from './upstream-writer'

export interface Exchange {
  request: RecordedRequest
  response: ServerResponse
  gates: Gates
  /** Resolves when the client has left. */
  gone: Promise<void>
}

/** The rest of the answer must not be sent: it was cut, ended early, or the client left. */
export class AnswerOver extends Error {}

/** What is counted of an answer, before any of it is sent. */
export function startCounts(exchange: Exchange, answer: Answer): Counts {
  const { messages } = parseChatRequest(exchange.request.body)
  return {
    promptTokens: answer.promptTokens ?? Math.ceil(JSON.stringify(messages).length / 4),
    cachedTokens: answer.cachedTokens ?? 0,
    completionTokens: 0,
    reasoningTokens: 0,
  }
}

/** Plays a chat answer, streamed or whole as the request asks, adding to `counts` as it goes. */
export async function playChat(
  exchange: Exchange,
  answer: Answer,
  id: string,
  counts: Counts,
): Promise<void> {
  const chat = parseChatRequest(exchange.request.body)
  const envelope = { id, model: chat.model }
  const { steps, cut } = limitSteps(answer, chat)
  const finishReason = defaultFinishReason(answer, cut)
  if (chat.stream) await playStream({ exchange, answer, chat, envelope, steps, counts, finishReason })
  else await playWhole({ exchange, answer, envelope, steps, counts, finishReason })
}

interface Play {
  exchange: Exchange
  answer: Answer
  envelope: Envelope
  steps: Step[]
  counts: Counts
  finishReason: string | null
}

async function playStream(play: Play & { chat: ChatRequest }): Promise<void> {
  const { exchange, answer, chat, envelope, steps, counts, finishReason } = play
  const { response, request } = exchange
  const usage = answer.usage ?? { mode: 'counted' }
  const writer = createEventWriter(response, answer.framing ?? {})
  const send = async (data: string) => {
    request.sentEventCount += 1
    await writer.event(data)
    if (response.destroyed) throw new AnswerOver()
  }
  const sendChunk = (delta: Record<string, unknown>, reason: string | null = null) => {
    const running = usage.mode === 'cumulative' ? { usage: formatUsage(counts, answer.costUsd) } : {}
    return send(JSON.stringify(formatChunk(envelope, [formatChoice(delta, reason)], running)))
  }

  response.writeHead(answer.status ?? 200, {
    'content-type': answer.contentType ?? 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'x-generation-id': envelope.id,
    ...answer.headers,
  })
  response.flushHeaders()
  let first = true
  for (const step of steps) {
    const delta = deltaOf(step)
    if (delta) {
      count(counts, step)
      await sendChunk(first ? { role: 'assistant', ...delta } : delta)
      first = false
    } else if (step.type === 'comment') await writer.raw(`: ${step.text}\n\n`)
    else if (step.type === 'event') await send(JSON.stringify(step.data))
    else if (step.type === 'error') await send(JSON.stringify({ error: step.error }))
    else if (step.type === 'raw') await writer.raw(step.text)
    else {
      await writer.flush()
      await steer(exchange, step)
    }
  }
  await sendChunk(first ? { role: 'assistant', content: '' } : {}, finishReason)
  for (const value of usageValues(answer, chat, counts)) {
    const choices = answer.dialect === 'openrouter' ? [formatChoice({ role: 'assistant', content: '' })] : []
    await send(JSON.stringify(formatChunk(envelope, choices, { usage: value })))
  }
  if (!answer.withoutDone) await send('[DONE]')
  await writer.flush()
  response.end()
}

async function playWhole(play: Play): Promise<void> {
  const { exchange, answer, envelope, steps, counts, finishReason } = play
  for (const step of steps) {
    if (step.type === 'error') return sendJson(exchange.response, answer, { error: step.error })
    if (step.type === 'raw') return sendJson(exchange.response, answer, step.text)
    if (deltaOf(step)) count(counts, step)
    else await steer(exchange, step)
  }
  const [usage] = usageValues(answer, null, counts)
  sendJson(exchange.response, answer, formatCompletion(envelope, { deltas: steps, finishReason, usage }))
}

/** Steps that wait or cut. @throws AnswerOver */
export async function steer(exchange: Exchange, step: Step): Promise<void> {
  const { response, gates, gone } = exchange
  if (step.type === 'gate') await Promise.race([gates.pass(step.name), gone])
  else if (step.type === 'wait') await Promise.race([wait(step.milliseconds), gone])
  else if (step.type === 'hang') await gone
  else if (step.type === 'end') response.end()
  else if (step.type === 'destroy') response.destroy()
  if (response.destroyed || response.writableEnded) throw new AnswerOver()
}

export function sendJson(response: ServerResponse, answer: Answer, body: unknown): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const type = answer.contentType ?? (typeof body === 'string' ? 'text/plain' : 'application/json')
  response.writeHead(answer.status ?? 200, { 'content-type': type, ...answer.headers })
  response.end(text)
}

/** Repeats spelled out, and cut where max_tokens is used up. */
function limitSteps(answer: Answer, chat: ChatRequest): { steps: Step[]; cut: boolean } {
  const given = answer.steps ?? [{ type: 'text', text: 'Hello.' }]
  const steps = given.flatMap(step =>
    step.type === 'text' && step.times !== undefined
      ? Array.from({ length: step.times }, () => ({ ...step, times: undefined }))
      : [step],
  )
  const tokensMax = chat.max_completion_tokens ?? chat.max_tokens
  if (answer.ignoresMaxTokens || tokensMax === undefined) return { steps, cut: false }
  const kept: Step[] = []
  let tokens = 0
  for (const step of steps) {
    tokens += tokensOf(step)
    if (tokens > tokensMax) return { steps: kept, cut: true }
    kept.push(step)
  }
  return { steps: kept, cut: false }
}

function usageValues(answer: Answer, chat: ChatRequest | null, counts: Counts): unknown[] {
  const usage = answer.usage ?? { mode: 'counted' }
  if (usage.mode === 'absent') return []
  if (usage.mode === 'value') return [usage.value]
  if (usage.mode === 'values') return usage.values
  // OpenAI tells usage in a stream only when asked; OpenRouter always does.
  const asked = chat === null || chat.stream_options.include_usage || answer.dialect === 'openrouter'
  return asked ? [formatUsage(counts, answer.costUsd)] : []
}

function count(counts: Counts, step: Step): void {
  counts.completionTokens += tokensOf(step)
  if (step.type === 'reasoning') counts.reasoningTokens += tokensOf(step)
}

function tokensOf(step: Step): number {
  return deltaOf(step) && 'tokens' in step ? (step.tokens ?? 1) : deltaOf(step) ? 1 : 0
}
