import { fieldsOf, isObject } from '@/lib/http/domain/is-object'
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
import { type AskedSettings, endingOf, headOf, responsesUsage, settingsOf } from './answer'
import { type InputItem, OPTIONAL_TOOLS, type ResponsesRequest, type ResponsesTool } from './contract'

/** Null if the request holds packed reasoning of chat completions, which a host cannot read in Responses. */
export function nativeResponses(request: ResponsesRequest): NativeQuestion | null {
  const items = typeof request.input === 'string' ? [] : request.input
  const isSealedHere = (item: InputItem) =>
    item.type === 'reasoning' && isSealed(item.encrypted_content ?? '')
  if (items.some(isSealedHere)) return null
  return {
    endpoint: '/responses',
    body: chat => nativeBody(request, chat),
    answer: nativeForm(settingsOf(request)),
  }
}

/** The request with the contract's fields; model names, limits and choices of hosts are taken from the chat's. */
function nativeBody(
  request: ResponsesRequest,
  chat: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const { input, tools: _tools, tool_choice, parallel_tool_calls, ...rest } = request
  const tools = request.tools?.filter(isOffered) ?? []
  const hasTools = tools.length > 0 || (typeof input !== 'string' && input.some(item => 'tools' in item))
  return defined({
    ...rest,
    input: typeof input === 'string' ? input : input.map(nativeItem),
    ...(tools.length > 0 && { tools }),
    ...(hasTools && { tool_choice, parallel_tool_calls }),
    model: chat.model,
    max_output_tokens: writtenTokenCountMax(chat),
    store: false,
    service_tier: chat.service_tier,
    provider: chat.provider,
    plugins: chat.plugins,
  })
}

/** Tools that a host runs itself have a price of their own. */
function isOffered({ type }: ResponsesTool): boolean {
  return !OPTIONAL_TOOLS.some(optional => optional === type)
}

/** With fields that OpenAI itself writes into an item, and other hosts expect there. */
function nativeItem(item: InputItem, index: number): Record<string, unknown> {
  if ('tools' in item) return { ...item, tools: item.tools.filter(isOffered) }
  if ('role' in item) {
    if (typeof item.content === 'string') return item
    if (item.role === 'assistant')
      return { ...item, id: item.id ?? `msg_${index}`, status: item.status ?? 'completed' }
    return { ...item, content: item.content.map(detailedPart) }
  }
  if (item.type === 'reasoning') return { ...item, id: item.id ?? `rs_${index}`, summary: item.summary ?? [] }
  if (item.type === 'function_call') return { ...item, id: item.id ?? `fc_${index}` }
  return { ...item }
}

function detailedPart(part: { type: string; detail?: unknown }): Record<string, unknown> {
  return part.type === 'input_image' ? { ...part, detail: part.detail ?? 'auto' } : { ...part }
}

function nativeForm(settings: AskedSettings): AnswerForm {
  return {
    stream: () => new NativeResponsesStream(settings),
    read(answer) {
      if (answer.error || answer.status === 'failed')
        return { ...reportOf(answer.usage), error: answer.error ?? FAILED }
      if (!Array.isArray(answer.output)) return null
      const { id, model, output, status } = answer
      const choices = [...output.map(item => ({ delta: deltaOfItem(item) })), finished(status)]
      return { id, model, choices, ...reportOf(answer.usage), service_tier: answer.service_tier }
    },
    whole: (answer, usage) => ({
      ...answer,
      usage: { ...withoutCost(answer.usage), ...responsesUsage(usage) },
    }),
  }
}

type Event = { type: string } & Record<string, unknown>

class NativeResponsesStream implements StreamForm {
  readonly #settings: AskedSettings
  #head: Record<string, unknown> | null = null
  #sequenceNumber = -1
  /** Complete items, for an answer that is cut. */
  readonly #items: unknown[] = []
  /** Items that had output before they were complete. */
  readonly #grown = new Set<unknown>()
  /** The last event, with usage, kept until the charge is known. */
  #ending: Event | null = null

  constructor(settings: AskedSettings) {
    this.#settings = settings
  }

  read(event: Record<string, unknown>): { chunk: Record<string, unknown>; isLast: boolean } {
    const response = fieldsOf(event.response)
    const { id, model } = response
    switch (event.type) {
      case 'response.created':
      case 'response.in_progress':
        return { chunk: { id, model, choices: [] }, isLast: false }
      case 'response.completed':
      case 'response.incomplete': {
        const output = Array.isArray(response.output) && this.#isUntold ? response.output : []
        const choices = [...output.map(item => ({ delta: deltaOfItem(item) })), finished(event.type)]
        const { service_tier } = response
        return { chunk: { id, model, choices, ...reportOf(response.usage), service_tier }, isLast: true }
      }
      case 'response.failed':
        return {
          chunk: { id, model, ...reportOf(response.usage), error: response.error ?? FAILED },
          isLast: false,
        }
      case 'error':
        return {
          chunk: { error: event.error ?? { code: event.code, message: event.message } },
          isLast: false,
        }
      default:
        return { chunk: { choices: [{ delta: this.#deltaOf(event) }] }, isLast: false }
    }
  }

  take(event: Record<string, unknown>, bytes: Buffer): Buffer | null {
    if (typeof event.sequence_number === 'number') this.#sequenceNumber = event.sequence_number
    switch (event.type) {
      case 'response.created':
        this.#head = fieldsOf(event.response)
        return bytes
      case 'response.output_item.done':
        this.#items.push(event.item)
        return bytes
      case 'response.completed':
      case 'response.incomplete':
        this.#ending = { ...event, type: event.type }
        return null
      default:
        return bytes
    }
  }

  end({ end, usage }: Parameters<StreamForm['end']>[0]): Buffer {
    const told = responsesUsage(usage)
    if (this.#ending && !end.error) {
      const response = fieldsOf(this.#ending.response)
      const last = { ...response, usage: { ...withoutCost(response.usage), ...told } }
      return Buffer.from(namedEvent({ ...this.#ending, response: last }))
    }
    const head = this.#head ?? headOf({}, { settings: this.#settings })
    const ending = endingOf({ finishReason: null }, end)
    const events: Event[] = [
      ...(this.#head
        ? []
        : [{ type: 'response.created', response: { ...head, status: 'in_progress', output: [] } }]),
      {
        type: `response.${ending.status}`,
        response: { ...head, ...ending, output: this.#items, usage: told },
      },
    ]
    const numbered = events.map((event, index) => ({
      ...event,
      sequence_number: this.#sequenceNumber + 1 + index,
    }))
    return Buffer.from(numbered.map(namedEvent).join(''))
  }

  get #isUntold(): boolean {
    return this.#grown.size === 0 && this.#items.length === 0
  }

  #deltaOf(event: Record<string, unknown>): Record<string, unknown> {
    const { type, delta, item, output_index: index } = event
    if (type === 'response.output_item.done') return this.#grown.has(index) ? {} : deltaOfItem(item)
    if (type === 'response.output_item.added') {
      const { type: kind, name } = fieldsOf(item)
      return kind === 'function_call' || kind === 'custom_tool_call' ? calling({ name }) : {}
    }
    if (typeof delta !== 'string') return {}
    this.#grown.add(index)
    switch (type) {
      case 'response.output_text.delta':
        return { content: delta }
      case 'response.reasoning_summary_text.delta':
        return { reasoning: delta }
      case 'response.reasoning_text.delta':
        return { reasoning_content: delta }
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return calling({ arguments: delta })
      default:
        return { [String(type)]: delta }
    }
  }
}

const FAILED = { message: 'The response failed.' }

function finished(reason: unknown): { delta: object; finish_reason: unknown } {
  return { delta: {}, finish_reason: reason ?? 'completed' }
}

/** An item as a delta of a chat completion. */
function deltaOfItem(item: unknown): Record<string, unknown> {
  const { type, id: _id, status: _status, ...rest } = fieldsOf(item)
  switch (type) {
    case 'message':
      return { content: rest.content }
    case 'reasoning':
      return { reasoning: rest.summary, reasoning_content: rest.content }
    case 'function_call':
    case 'custom_tool_call':
      return calling({ name: rest.name, arguments: rest.arguments ?? rest.input })
    default:
      return { [String(type)]: rest }
  }
}

/** The same counts under the names of chat completions. */
function reportOf(usage: unknown): { usage?: Record<string, unknown> } {
  if (!isObject(usage)) return {}
  const { input_tokens, input_tokens_details, output_tokens, output_tokens_details, ...rest } = usage
  const report = {
    prompt_tokens: input_tokens,
    prompt_tokens_details: input_tokens_details,
    completion_tokens: output_tokens,
    completion_tokens_details: output_tokens_details,
  }
  return { usage: { ...rest, ...report } }
}
