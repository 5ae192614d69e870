import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { Generation } from './upstream-bill'
import { type DialectWriter, dialectWriterFor, type NamedEvent } from './upstream-dialects'
import { createEventWriter } from './upstream-event-writer'
import type { Gates } from './upstream-gates'
import type { Answer, RecordedRequest, Step } from './upstream-script'
import {
  type ChatRequest,
  defaultFinishReason,
  deltaOf,
  type Envelope,
  formatChoice,
  formatChunk,
  formatCompletion,
  formatUsage,
  parseChatRequest,
} from './upstream-wire'

export interface Exchange {
  request: RecordedRequest
  response: ServerResponse
  gates: Gates
  /** Resolves when the client has left. */
  gone: Promise<void>
  /** Call when no more work is done for it: only then is it over, and its bill final. */
  finish(): void
}

/** The rest of the answer must not be sent: it was cut, ended early, or the client left. */
export class AnswerOver extends Error {
  constructor(readonly why: 'left' | 'cut') {
    super(`The answer is over: ${why}.`)
  }
}

interface Play {
  exchange: Exchange
  answer: Answer
  chat: ChatRequest
  envelope: Envelope
  generation: Generation
  finishReason: string | null
  /** Null for chat completions. */
  dialectWriter: DialectWriter | null
}

/** Plays a chat answer, streamed or whole as requested, and counts in `generation` what it produces. */
export async function playChat(exchange: Exchange, answer: Answer, generation: Generation): Promise<void> {
  const chat = parseChatRequest(exchange.request.body)
  const model = answer.reportedModel === undefined ? generation.model : answer.reportedModel
  const { provider = null } = answer
  const { steps, cut } = limitSteps(answer, chat)
  const finishReason = defaultFinishReason(answer, cut)
  const play = {
    exchange,
    answer,
    chat,
    envelope: { id: generation.id, model, serviceTier: generation.serviceTier, provider },
    generation,
    finishReason,
    dialectWriter: dialectWriterFor(exchange.request, { id: generation.id, model, provider }),
  }
  const rest = steps.values()
  try {
    for (const step of answer.beforeHeaders ?? []) await steer(exchange, step)
    if (chat.stream) await playStream(play, rest)
    else await playWhole(play, rest, steps)
  } catch (error) {
    if (!(error instanceof AnswerOver)) throw error
    const isFinished = answer.bills === 'whole' || (error.why === 'left' && !chat.stream)
    // Nothing of a whole answer has been sent until all of it is.
    const hasOutput = chat.stream && generation.outputTokenCount > 0
    if (isFinished) for (const step of rest) count(generation, step)
    else if (error.why === 'cut' && !hasOutput) generation.isWaived = true
  }
}

async function playStream(play: Play, rest: Iterable<Step>): Promise<void> {
  const { exchange, answer, chat, envelope, generation, finishReason, dialectWriter } = play
  const { response, request } = exchange
  const usage = answer.usage ?? { mode: 'counted' }
  const writer = createEventWriter(response, answer.framing ?? {})
  const send = async (data: string, name?: string) => {
    request.sentEventCount += 1
    await writer.event(data, name)
    if (response.destroyed) throw new AnswerOver('left')
  }
  const sendNamed = async (events: NamedEvent[]) => {
    for (const event of events) await send(JSON.stringify(event), event.type)
  }
  const sendChunk = async (delta: Record<string, unknown>, reason: string | null = null) => {
    if (dialectWriter) return sendNamed(dialectWriter.delta(delta))
    const running = usage.mode === 'cumulative' ? { usage: formatUsage(generation, answer) } : {}
    for (let index = 0; index < chat.n; index += 1) {
      await send(JSON.stringify(formatChunk(envelope, [formatChoice(delta, reason, index)], running)))
    }
  }

  response.writeHead(answer.status ?? 200, {
    'content-type': answer.contentType ?? 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'x-generation-id': envelope.id,
    ...answer.headers,
  })
  response.flushHeaders()
  if (dialectWriter && answer.steps?.[0]?.type !== 'error') {
    await sendNamed(dialectWriter.begin(formatUsage(generation, answer)))
  }
  let first = true
  for (const step of rest) {
    const delta = deltaOf(step)
    count(generation, step)
    if (delta) {
      await sendChunk(first ? { role: 'assistant', ...delta } : delta)
      first = false
    } else if (step.type === 'comment') await writer.raw(`: ${step.text}\n\n`)
    else if (step.type === 'event') await send(JSON.stringify(step.data))
    else if (step.type === 'error') {
      if (generation.outputTokenCount === 0) generation.isWaived = true
      if (dialectWriter) await sendNamed([dialectWriter.error(step.error)])
      else await send(JSON.stringify({ error: step.error }))
    } else if (step.type === 'raw') await writer.raw(step.text)
    else {
      await writer.flush()
      await steer(exchange, step)
    }
  }
  if (dialectWriter) {
    await sendNamed(dialectWriter.end(finishReason, usageValues(play).at(-1)))
    await writer.flush()
    response.end()
    return
  }
  await sendChunk(first ? { role: 'assistant', content: '' } : {}, finishReason)
  for (const value of usageValues(play)) {
    const choices = answer.dialect === 'openrouter' ? [formatChoice({ role: 'assistant', content: '' })] : []
    await send(JSON.stringify(formatChunk(envelope, choices, { usage: value })))
  }
  if (!answer.withoutDone) await send('[DONE]')
  await writer.flush()
  response.end()
}

async function playWhole(play: Play, rest: Iterable<Step>, deltas: Step[]): Promise<void> {
  const { exchange, answer, envelope, chat, generation, finishReason, dialectWriter } = play
  for (const step of rest) {
    if (step.type === 'error') {
      generation.isWaived = true
      return sendJson(exchange.response, answer, { error: step.error })
    }
    if (step.type === 'raw') return sendJson(exchange.response, answer, step.text)
    count(generation, step)
    if (!deltaOf(step)) await steer(exchange, step)
  }
  const [usage] = usageValues(play)
  const completion = formatCompletion(envelope, { deltas, finishReason, usage, choiceCount: chat.n })
  sendJson(exchange.response, answer, dialectWriter?.whole(completion) ?? completion)
}

/** Steps that wait or cut. @throws AnswerOver */
export async function steer(exchange: Exchange, step: Step): Promise<void> {
  const { response, gates, gone } = exchange
  if (step.type === 'gate') await Promise.race([gates.pass(step.name), gone])
  else if (step.type === 'wait') await Promise.race([wait(step.milliseconds), gone])
  else if (step.type === 'hang') await gone
  const left = response.destroyed
  if (step.type === 'end') response.end()
  else if (step.type === 'destroy') response.destroy()
  if (response.destroyed || response.writableEnded) throw new AnswerOver(left ? 'left' : 'cut')
}

export function sendJson(response: ServerResponse, answer: Answer, body: unknown): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const type = answer.contentType ?? (typeof body === 'string' ? 'text/plain' : 'application/json')
  response.writeHead(answer.status ?? 200, { 'content-type': type, ...answer.headers })
  response.end(text)
}

/** Expands repetitions, and cuts at max_tokens. */
function limitSteps(answer: Answer, chat: ChatRequest): { steps: Step[]; cut: boolean } {
  const given = answer.steps ?? [{ type: 'text', text: 'Hello.' }]
  const steps = given.flatMap(step =>
    'times' in step && step.times !== undefined
      ? Array.from({ length: step.times }, () => ({ ...step, times: undefined }))
      : [step],
  )
  const newer = answer.ignoresMaxCompletionTokens ? undefined : chat.max_completion_tokens
  const tokensMax = newer ?? chat.max_tokens ?? chat.max_output_tokens
  if (answer.ignoresMaxTokens || tokensMax === undefined) return { steps, cut: false }
  const kept: Step[] = []
  let tokens = 0
  for (const step of steps) {
    // A model also stops in the middle of hidden reasoning.
    if (step.type === 'hidden' && tokens + step.tokens > tokensMax) {
      return { steps: [...kept, { ...step, tokens: tokensMax - tokens }], cut: true }
    }
    tokens += tokensOf(step)
    if (tokens > tokensMax) return { steps: kept, cut: true }
    kept.push(step)
  }
  return { steps: kept, cut: false }
}

function usageValues({ answer, chat, generation, dialectWriter }: Play): unknown[] {
  const usage = answer.usage ?? { mode: 'counted' }
  if (usage.mode === 'absent') return []
  if (usage.mode === 'value') return [usage.value]
  if (usage.mode === 'values') return usage.values
  // OpenAI only sends usage in a stream on request; OpenRouter always does.
  const asked =
    !chat.stream || dialectWriter || chat.stream_options.include_usage || answer.dialect === 'openrouter'
  return asked ? [formatUsage(generation, answer)] : []
}

function count(generation: Generation, step: Step): void {
  generation.outputTokenCount += tokensOf(step)
  if (step.type === 'reasoning' || step.type === 'hidden') generation.reasoningTokenCount += tokensOf(step)
  if (step.type === 'search') generation.searchCount += 1
}

function tokensOf(step: Step): number {
  if (step.type === 'hidden') return step.tokens
  return deltaOf(step) && 'tokens' in step ? (step.tokens ?? 1) : deltaOf(step) ? 1 : 0
}
