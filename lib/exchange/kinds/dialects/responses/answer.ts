import type { ApiError } from '@/lib/http/api-error'
import { COMPLETED, type ExchangeEnd } from '../../../engine/ends'
import type { AnswerForm, ChargedUsage, StreamForm } from '../../chat/answer-form'
import { type AnswerBlock, AnswerBlocks, type BlockListener } from '../answer-blocks'
import { sealThought } from '../thoughts'
import { chargeOf, markedId, namedModel, WrittenEvents } from '../written-answer'
import type { ResponsesRequest } from './contract'
import { callItem, type ToolNames, toolNamesOf } from './tools'

/** Writes an answer as OpenAI's Responses do. It keeps only the parts of the request that the answer repeats. */
export function responsesAnswerForm(request: ResponsesRequest): AnswerForm {
  const about: About = { names: toolNamesOf(request), settings: settingsOf(request) }
  return {
    stream: () => new ResponsesStream(about),
    whole(answer, usage) {
      const blocks = new AnswerBlocks()
      blocks.take(answer.choices)
      blocks.end()
      const head = headOf(answer, about)
      const output = blocks.blocks.map((block, index) => itemOf(block, idOf(head, block, index), about))
      return { ...head, ...endingOf(blocks, COMPLETED), output, usage: responsesUsage(usage) }
    },
    failed(error) {
      const head = headOf({ created: nowSeconds() }, about)
      return { ...head, ...failedBy(error), output: [], usage: null }
    },
  }
}

interface About {
  names: ToolNames
  settings: AskedSettings
}

export type AskedSettings = { model: string } & Record<string, unknown>

/** The fields of a request that its response repeats. */
export function settingsOf(request: ResponsesRequest): AskedSettings {
  const { model, reasoning, text, tool_choice, parallel_tool_calls, max_output_tokens } = request
  return {
    model,
    frequency_penalty: null,
    instructions: null,
    max_output_tokens: max_output_tokens ?? null,
    metadata: {},
    parallel_tool_calls: parallel_tool_calls ?? true,
    presence_penalty: null,
    previous_response_id: null,
    reasoning: { effort: reasoning?.effort ?? null, summary: reasoning?.summary ?? null },
    store: false,
    temperature: request.temperature ?? null,
    text: { format: text?.format ?? { type: 'text' } },
    tool_choice: tool_choice ?? 'auto',
    tools: [],
    top_p: request.top_p ?? null,
    truncation: 'disabled',
  }
}

type Item = { id: string; type: string } & Record<string, unknown>
type Head = ReturnType<typeof headOf>

class ResponsesStream implements StreamForm {
  readonly #about: About
  readonly #events = new WrittenEvents()
  #eventCount = 0
  #head: Head | null = null
  readonly #blocks: AnswerBlocks

  constructor(about: About) {
    this.#about = about
    const listener: BlockListener = {
      opened: (block, index) => this.#open(block, index),
      grew: (block, index, piece) => this.#grow(block, index, piece),
      closed: (block, index) => this.#close(block, index),
    }
    this.#blocks = new AnswerBlocks(listener)
  }

  take(chunk: Record<string, unknown>): Buffer | null {
    this.#begin(chunk)
    this.#blocks.take(chunk.choices)
    return this.#events.take()
  }

  end({ end, usage }: Parameters<StreamForm['end']>[0]): Buffer {
    const head = this.#begin({})
    this.#blocks.end()
    const output = this.#blocks.blocks.map((block, index) =>
      itemOf(block, idOf(head, block, index), this.#about),
    )
    const last = endingOf(this.#blocks, end)
    const response = { ...head, ...last, output, usage: responsesUsage(usage) }
    this.#say(`response.${last.status}`, { response })
    return this.#events.take() ?? Buffer.alloc(0)
  }

  #begin(chunk: Record<string, unknown>): Head {
    if (this.#head) return this.#head
    this.#head = headOf(chunk, this.#about)
    const response = { ...this.#head, status: 'in_progress', output: [], usage: null }
    this.#say('response.created', { response })
    this.#say('response.in_progress', { response })
    return this.#head
  }

  #open(block: AnswerBlock, index: number): void {
    const about = this.#of(block, index)
    this.#say('response.output_item.added', {
      output_index: index,
      item: openItemOf(block, about.item_id, this.#about),
    })
    const part = partOf(block, '')
    if (!part) return
    if (block.kind === 'thought')
      this.#say('response.reasoning_summary_part.added', { ...about, summary_index: 0, part })
    else this.#say('response.content_part.added', { ...about, content_index: 0, part })
  }

  #grow(block: AnswerBlock, index: number, delta: string): void {
    const about = this.#of(block, index)
    switch (block.kind) {
      case 'text':
        this.#say('response.output_text.delta', { ...about, content_index: 0, delta, logprobs: [] })
        break
      case 'refusal':
        this.#say('response.refusal.delta', { ...about, content_index: 0, delta })
        break
      case 'thought':
        this.#say('response.reasoning_summary_text.delta', { ...about, summary_index: 0, delta })
        break
      case 'call':
        // Text inside an object is sent once the object is complete.
        if (this.#isFunction(block)) this.#say('response.function_call_arguments.delta', { ...about, delta })
    }
  }

  #close(block: AnswerBlock, index: number): void {
    const about = this.#of(block, index)
    const item = itemOf(block, about.item_id, this.#about)
    const part = partOf(block, block.text)
    switch (block.kind) {
      case 'text':
        this.#say('response.output_text.done', { ...about, content_index: 0, text: block.text, logprobs: [] })
        this.#say('response.content_part.done', { ...about, content_index: 0, part })
        break
      case 'refusal':
        this.#say('response.refusal.done', { ...about, content_index: 0, refusal: block.text })
        this.#say('response.content_part.done', { ...about, content_index: 0, part })
        break
      case 'thought':
        this.#say('response.reasoning_summary_text.done', { ...about, summary_index: 0, text: block.text })
        this.#say('response.reasoning_summary_part.done', { ...about, summary_index: 0, part })
        break
      case 'call':
        this.#closeCall(item, about)
    }
    this.#say('response.output_item.done', { output_index: index, item })
  }

  #closeCall(item: Item, about: { item_id: string; output_index: number }): void {
    if (item.type === 'function_call') {
      const { name, arguments: text } = item
      this.#say('response.function_call_arguments.done', { ...about, name, arguments: text })
    } else if (item.type === 'custom_tool_call') {
      const { input } = item
      this.#say('response.custom_tool_call_input.delta', { ...about, delta: input })
      this.#say('response.custom_tool_call_input.done', { ...about, input })
    }
  }

  #isFunction({ name }: { name: string }): boolean {
    return (this.#about.names.get(name)?.kind ?? 'function') === 'function'
  }

  #of(block: AnswerBlock, index: number): { item_id: string; output_index: number } {
    return { item_id: idOf(this.#begin({}), block, index), output_index: index }
  }

  #say(type: string, event: Record<string, unknown>): void {
    this.#events.say({ type, sequence_number: this.#eventCount, ...event })
    this.#eventCount += 1
  }
}

export function headOf(
  { id, created, model }: Record<string, unknown>,
  { settings }: { settings: AskedSettings },
) {
  return {
    ...settings,
    id: markedId('resp', id),
    object: 'response',
    created_at: typeof created === 'number' ? created : 0,
    model: namedModel(model, settings.model),
    background: false,
    completed_at: null,
    error: null,
    incomplete_details: null,
  }
}

const ITEM_PREFIXES: Readonly<Record<AnswerBlock['kind'], string>> = {
  text: 'msg',
  refusal: 'msg',
  thought: 'rs',
  sealed: 'rs',
  call: 'fc',
  image: 'ig',
}

/** The id of an item, which is the same in every event. */
function idOf({ id }: Head, { kind }: AnswerBlock, index: number): string {
  return `${ITEM_PREFIXES[kind]}_${id.slice('resp_'.length)}_${index}`
}

function openItemOf(block: AnswerBlock, id: string, about: About): Item {
  if (block.kind === 'sealed' || block.kind === 'image') return itemOf(block, id, about)
  const item = itemOf({ ...block, text: '' }, id, about)
  if (block.kind === 'thought') return { ...item, summary: [] }
  if (block.kind === 'call')
    return item.type === 'function_call'
      ? { ...item, status: 'in_progress', arguments: '' }
      : { ...item, status: 'in_progress' }
  return { ...item, status: 'in_progress', content: [] }
}

function itemOf(block: AnswerBlock, id: string, { names }: About): Item {
  const status = 'completed'
  switch (block.kind) {
    case 'text':
    case 'refusal':
      return { id, type: 'message', status, role: 'assistant', content: [partOf(block, block.text)] }
    case 'thought': {
      const sealed = block.thought && { encrypted_content: sealThought(block.thought) }
      return { id, type: 'reasoning', summary: [partOf(block, block.text)], ...sealed }
    }
    case 'sealed':
      return { id, type: 'reasoning', summary: [], encrypted_content: sealThought(block.thought) }
    case 'call':
      return { id, status, ...callItem(block, names) }
    case 'image':
      return { id, type: 'image_generation_call', status, result: block.url.replace(/^data:[^,]*,/, '') }
  }
}

function partOf({ kind }: AnswerBlock, text: string): Record<string, unknown> | null {
  switch (kind) {
    case 'text':
      return { type: 'output_text', text, annotations: [], logprobs: [] }
    case 'refusal':
      return { type: 'refusal', refusal: text }
    case 'thought':
      return { type: 'summary_text', text }
    default:
      return null
  }
}

const INCOMPLETE_REASONS: Readonly<Record<string, string>> = {
  length: 'max_output_tokens',
  content_filter: 'content_filter',
}

export function endingOf(
  { finishReason }: { finishReason: string | null },
  { error, status }: ExchangeEnd,
): { status: 'completed' | 'incomplete' | 'failed' } & Record<string, unknown> {
  if (error) return failedBy(error)
  const reason = status === 'stopped' ? 'stopped' : INCOMPLETE_REASONS[finishReason ?? '']
  return reason
    ? { status: 'incomplete', error: null, incomplete_details: { reason } }
    : { status: 'completed', completed_at: nowSeconds(), error: null, incomplete_details: null }
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000)
}

function failedBy({ code, message, details }: ApiError) {
  return { status: 'failed' as const, error: { code, message, ...details }, incomplete_details: null }
}

export function responsesUsage(usage: ChargedUsage): Record<string, unknown> {
  const { prompt_tokens_details: read = {}, completion_tokens_details: written = {} } = usage
  return {
    input_tokens: usage.prompt_tokens,
    input_tokens_details: { ...read, cached_tokens: read.cached_tokens ?? 0 },
    output_tokens: usage.completion_tokens,
    output_tokens_details: { ...written, reasoning_tokens: written.reasoning_tokens ?? 0 },
    total_tokens: usage.total_tokens,
    ...chargeOf(usage),
  }
}
