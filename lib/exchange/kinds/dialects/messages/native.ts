import { fieldsOf, isObject, readCount } from '@/lib/http/domain/is-object'
import {
  type AnswerForm,
  type NativeQuestion,
  namedEvent,
  type StreamForm,
  writtenTokenCountMax,
} from '../../chat/answer-form'
import { withoutCost } from '../../usage'
import { calling, defined } from '../chat-message'
import { isSealed } from '../thoughts'
import { messageStart, messagesUsage } from './answer'
import { betaField, type MessageBlock, type MessagesRequest } from './contract'
import { messagesErrorBody } from './error'
import { saidBlocks } from './request'

/** The smallest reasoning budget that a model accepts. */
const THINKING_TOKEN_COUNT_MIN = 1_024

/** Null if the request holds packed reasoning of chat completions, which a host cannot read in Messages. */
export function nativeMessages(request: MessagesRequest, betas: readonly string[]): NativeQuestion | null {
  const blocks = request.messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content))
  if (blocks.some(isSealedHere)) return null
  return {
    endpoint: '/messages',
    body: chat => nativeBody(request, chat),
    ...(betas.length > 0 && { headers: betaHeaders(betas), headerFields: betas.map(betaField) }),
    answer: nativeForm({ model: request.model }),
  }
}

/** OpenRouter reads one of them in Messages, and documents the other. */
function betaHeaders(betas: readonly string[]): Record<string, string> {
  return { 'anthropic-beta': betas.join(), 'x-anthropic-beta': betas.join() }
}

function isSealedHere(block: MessageBlock): boolean {
  if (block.type === 'redacted_thinking') return isSealed(block.data)
  return block.type === 'thinking' && isSealed(block.signature ?? '')
}

/** The request with the contract's fields; model names, limits and choices of hosts are taken from the chat's. */
function nativeBody(
  request: MessagesRequest,
  chat: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const messages = request.messages.map(({ role, content }) => ({
    role,
    content: typeof content === 'string' ? content : saidBlocks(role, content),
  }))
  return defined({
    ...request,
    messages,
    model: chat.model,
    max_tokens: writtenTokenCountMax(chat),
    thinking: thinkingWithin(request, chat),
    metadata: chat.user === undefined ? undefined : { user_id: chat.user },
    service_tier: chat.service_tier,
    provider: chat.provider,
    plugins: chat.plugins,
  })
}

/** The reasoning budget, as part of the output limit: if that was lowered, at most half of it, or none. */
function thinkingWithin(
  { thinking, max_tokens: asked }: MessagesRequest,
  chat: Readonly<Record<string, unknown>>,
): MessagesRequest['thinking'] {
  if (thinking?.type !== 'enabled') return thinking
  const { reasoning } = chat
  const limit = writtenTokenCountMax(chat)
  const lowered = isObject(reasoning) ? Number(reasoning.max_tokens) : thinking.budget_tokens
  const isShort = typeof limit === 'number' && limit < asked
  const budget_tokens = Math.min(lowered, isShort ? Math.floor(limit / 2) : thinking.budget_tokens)
  const isEnough = budget_tokens === thinking.budget_tokens || budget_tokens >= THINKING_TOKEN_COUNT_MIN
  return isEnough ? { ...thinking, budget_tokens } : undefined
}

function nativeForm(about: { model: string }): AnswerForm {
  return {
    stream: promptTokenCount => new NativeMessagesStream(about, promptTokenCount),
    read(answer) {
      if (!Array.isArray(answer.content)) return answer.error ? { error: answer.error } : null
      const { id, model, content, stop_reason: reason, usage } = answer
      const last = { delta: {}, finish_reason: reason ?? 'end_turn' }
      const choices = [...content.map(block => ({ delta: deltaOfBlock(block) })), last]
      return { id, model, choices, ...reportOf(usage), error: answer.error }
    },
    whole: (answer, usage) => ({
      ...answer,
      usage: { ...withoutCost(answer.usage), ...messagesUsage(usage) },
    }),
  }
}

type Event = { type: string } & Record<string, unknown>

class NativeMessagesStream implements StreamForm {
  readonly #about: { model: string }
  readonly #promptTokenCount: () => number
  /** As reported at the beginning; the report at the end adds to it. */
  #usage: Record<string, unknown> = {}
  #hasBegun = false
  readonly #openBlocks = new Set<unknown>()
  /** The last event with usage, kept until the charge is known. */
  #ending: Event | null = null

  constructor(about: { model: string }, promptTokenCount: () => number) {
    this.#about = about
    this.#promptTokenCount = promptTokenCount
  }

  read(event: Record<string, unknown>): ReturnType<NonNullable<StreamForm['read']>> {
    switch (event.type) {
      case 'message_start': {
        const { id, model, provider, usage } = fieldsOf(event.message)
        // Output and cost at the beginning mean nothing.
        this.#usage = { ...withoutCost(usage), output_tokens: null }
        const promptReport = reportOf({ ...this.#usage, output_tokens: 0 }).usage
        return { chunk: { id, model, provider, choices: [] }, isLast: false, promptReport }
      }
      case 'content_block_start':
        return { chunk: { choices: [{ delta: deltaOfBlock(event.content_block) }] }, isLast: false }
      case 'content_block_delta':
        return { chunk: { choices: [{ delta: deltaOf(event.delta) }] }, isLast: false }
      case 'message_delta': {
        const told = Object.entries(fieldsOf(event.usage)).filter(([, value]) => value !== null)
        this.#usage = { ...this.#usage, ...Object.fromEntries(told) }
        const choices = [{ delta: {}, finish_reason: fieldsOf(event.delta).stop_reason ?? null }]
        const report = told.length > 0 ? reportOf(this.#usage) : {}
        return { chunk: { choices, ...report }, isLast: false }
      }
      default:
        return { chunk: {}, isLast: event.type === 'message_stop' }
    }
  }

  take(event: Record<string, unknown>, bytes: Buffer): Buffer | null {
    switch (event.type) {
      case 'message_start': {
        this.#hasBegun = true
        const message = fieldsOf(event.message)
        const usage = fieldsOf(message.usage)
        const shown = withoutCost(usage)
        if (Object.keys(shown).length === Object.keys(usage).length) return bytes
        return Buffer.from(namedEvent({ ...event, type: event.type, message: { ...message, usage: shown } }))
      }
      case 'content_block_start':
        this.#openBlocks.add(event.index)
        return bytes
      case 'content_block_stop':
        this.#openBlocks.delete(event.index)
        return bytes
      case 'message_delta': {
        const before = this.#ending
        this.#ending = { ...event, type: event.type }
        return before && Buffer.from(namedEvent({ ...before, usage: withoutCost(before.usage) }))
      }
      case 'message_stop':
        return null
      default:
        return bytes
    }
  }

  end({ end, usage }: Parameters<StreamForm['end']>[0]): Buffer {
    const told = messagesUsage(usage)
    const events: Event[] = this.#hasBegun ? [] : [messageStart({}, this.#about, this.#promptTokenCount())]
    for (const index of this.#openBlocks) events.push({ type: 'content_block_stop', index })
    if (end.error) events.push({ ...messagesErrorBody(end.error), usage: told })
    else {
      const ending = this.#ending ?? { type: 'message_delta', delta: STOPPED }
      events.push({ ...ending, usage: { ...withoutCost(ending.usage), ...told } }, { type: 'message_stop' })
    }
    return Buffer.from(events.map(namedEvent).join(''))
  }
}

const STOPPED = { stop_reason: 'end_turn', stop_sequence: null }

/** The beginning of a block, or a whole block, as a delta of a chat completion. */
function deltaOfBlock(block: unknown): Record<string, unknown> {
  const { type, input, ...rest } = fieldsOf(block)
  switch (type) {
    case 'text': {
      const { text, ...others } = rest
      return { ...others, content: text }
    }
    case 'thinking':
      return { reasoning: rest.thinking }
    case 'redacted_thinking':
      return { reasoning_details: [{ data: rest.data }] }
    case 'tool_use': {
      const isEmpty = !isObject(input) || Object.keys(input).length === 0
      return calling({ name: rest.name, arguments: isEmpty ? '' : textOf(input) })
    }
    default:
      return { [String(type)]: { ...rest, input } }
  }
}

/** A value that is nested deeper than the stack cannot be written as text here; it is billed all the same. */
function textOf(input: object): unknown {
  try {
    return JSON.stringify(input)
  } catch {
    return input
  }
}

function deltaOf(delta: unknown): Record<string, unknown> {
  const { type, ...rest } = fieldsOf(delta)
  switch (type) {
    case 'text_delta':
      return { content: rest.text }
    case 'thinking_delta':
      return { reasoning: rest.thinking }
    case 'input_json_delta':
      return calling({ arguments: rest.partial_json })
    // The signature of the reasoning; no token of the answer.
    case 'signature_delta':
      return {}
    default:
      return rest
  }
}

/**
 * Anthropic's counts in the form of chat completions, where cache reads and writes are part of the prompt. A field that
 * is present and no count makes the whole report invalid.
 */
function reportOf(usage: unknown): { usage?: Record<string, unknown>; service_tier?: unknown } {
  if (!isObject(usage)) return {}
  const { cost, cost_details, is_byok, server_tool_use, cache_creation, service_tier } = usage
  const read = countOf(usage.cache_read_input_tokens)
  const written = countOf(usage.cache_creation_input_tokens)
  return {
    service_tier,
    usage: {
      prompt_tokens: countOf(usage.input_tokens, Number.NaN) + read + written,
      prompt_tokens_details: { cached_tokens: read, cache_write_tokens: written },
      completion_tokens: usage.output_tokens,
      cache_creation,
      server_tool_use,
      cost,
      cost_details,
      is_byok,
    },
  }
}

function countOf(value: unknown, absent = 0): number {
  return value === undefined || value === null ? absent : (readCount(value) ?? Number.NaN)
}
