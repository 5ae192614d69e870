import { parseJsonObject } from '@/lib/upstream/read-body'
import type { AnswerForm, ChargedUsage, StreamForm } from '../../chat/answer-form'
import { type AnswerBlock, AnswerBlocks, type BlockListener } from '../answer-blocks'
import { chargeOf, markedId, namedModel, WrittenEvents } from '../written-answer'
import type { MessagesRequest } from './contract'
import { messagesErrorBody } from './error'
import { redactedData, signatureOf } from './signatures'

/** Writes an answer as Anthropic does. It keeps only the parts of the request that the answer repeats. */
export function messagesAnswerForm({ model, stop_sequences: stops }: MessagesRequest): AnswerForm {
  const [onlyStop] = stops?.length === 1 ? stops : []
  const about: About = { model, onlyStop: onlyStop ?? null }
  return {
    stream: promptTokenCount => new MessagesStream(about, promptTokenCount),
    whole(answer, usage) {
      const blocks = new AnswerBlocks()
      blocks.take(answer.choices)
      blocks.end()
      const content = blocks.blocks.map(contentOf)
      return { ...messageHead(answer, about), content, ...stopOf(blocks, about), usage: messagesUsage(usage) }
    },
  }
}

interface About {
  model: string
  /** The stop sequence, if the request has only one. */
  onlyStop: string | null
}

class MessagesStream implements StreamForm {
  readonly #about: About
  readonly #promptTokenCount: () => number
  readonly #events = new WrittenEvents()
  #hasBegun = false
  readonly #blocks: AnswerBlocks

  constructor(about: About, promptTokenCount: () => number) {
    this.#about = about
    this.#promptTokenCount = promptTokenCount
    const listener: BlockListener = {
      opened: (block, index) => {
        this.#events.say({ type: 'content_block_start', index, content_block: emptyContentOf(block) })
      },
      grew: (block, index, piece) => {
        this.#events.say({ type: 'content_block_delta', index, delta: deltaOf(block, piece) })
      },
      closed: (block, index) => {
        const signature = block.kind === 'thought' && block.thought ? signatureOf(block.thought) : null
        if (signature)
          this.#events.say({
            type: 'content_block_delta',
            index,
            delta: { type: 'signature_delta', signature },
          })
        this.#events.say({ type: 'content_block_stop', index })
      },
    }
    this.#blocks = new AnswerBlocks(listener)
  }

  take(chunk: Record<string, unknown>): Buffer | null {
    this.#begin(chunk)
    this.#blocks.take(chunk.choices)
    return this.#events.take()
  }

  end({ end, usage }: Parameters<StreamForm['end']>[0]): Buffer {
    this.#begin({})
    this.#blocks.end()
    const told = messagesUsage(usage)
    if (end.error) {
      this.#events.say({ ...messagesErrorBody(end.error), usage: told })
    } else {
      this.#events.say({ type: 'message_delta', delta: stopOf(this.#blocks, this.#about), usage: told })
      this.#events.say({ type: 'message_stop' })
    }
    return this.#events.take() ?? Buffer.alloc(0)
  }

  #begin(chunk: Record<string, unknown>): void {
    if (this.#hasBegun) return
    this.#hasBegun = true
    this.#events.say(messageStart(chunk, this.#about, this.#promptTokenCount()))
  }
}

export function messageStart(
  chunk: Record<string, unknown>,
  about: { model: string },
  promptTokenCount: number,
): { type: string } & Record<string, unknown> {
  // The prompt's tokens are known, and sent, only at the end. Some clients read only this estimate.
  const usage = { ...NO_CACHE, input_tokens: promptTokenCount, output_tokens: 0 }
  const rest = { content: [], stop_reason: null, stop_sequence: null, usage }
  return { type: 'message_start', message: { ...messageHead(chunk, about), ...rest } }
}

const NO_CACHE = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }

function messageHead(
  { id, model }: Record<string, unknown>,
  about: { model: string },
): Record<string, unknown> {
  return {
    id: markedId('msg', id),
    type: 'message',
    role: 'assistant',
    model: namedModel(model, about.model),
  }
}

/** Anthropic counts cache reads and writes apart from the other input. */
export function messagesUsage(usage: ChargedUsage): Record<string, unknown> {
  const { prompt_tokens: input, prompt_tokens_details: details = {} } = usage
  const read = Math.min(input, Number(details.cached_tokens ?? 0))
  const written = Math.min(input - read, Number(details.cache_write_tokens ?? 0))
  return {
    input_tokens: input - read - written,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    output_tokens: usage.completion_tokens,
    ...chargeOf(usage),
  }
}

const STOP_REASONS: Readonly<Record<string, string>> = {
  length: 'max_tokens',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'refusal',
}

function stopOf(
  { finishReason, nativeFinishReason, hasCalls }: AnswerBlocks,
  { onlyStop }: About,
): { stop_reason: string; stop_sequence: string | null } {
  // Hosts do not report which of several stop sequences it was.
  if (nativeFinishReason === 'stop_sequence') return { stop_reason: 'stop_sequence', stop_sequence: onlyStop }
  const reason = STOP_REASONS[finishReason ?? ''] ?? (hasCalls ? 'tool_use' : 'end_turn')
  return { stop_reason: reason, stop_sequence: null }
}

function emptyContentOf(block: AnswerBlock): Record<string, unknown> {
  switch (block.kind) {
    case 'text':
    case 'refusal':
      return { type: 'text', text: '' }
    case 'thought':
      return { type: 'thinking', thinking: '', signature: '' }
    case 'call':
      return { type: 'tool_use', id: block.id, name: block.name, input: {} }
    case 'sealed':
    case 'image':
      return contentOf(block)
  }
}

function deltaOf({ kind }: AnswerBlock, piece: string): Record<string, unknown> {
  if (kind === 'call') return { type: 'input_json_delta', partial_json: piece }
  return kind === 'thought'
    ? { type: 'thinking_delta', thinking: piece }
    : { type: 'text_delta', text: piece }
}

function contentOf(block: AnswerBlock): Record<string, unknown> {
  switch (block.kind) {
    case 'text':
    case 'refusal':
      return { type: 'text', text: block.text }
    case 'thought':
      return {
        type: 'thinking',
        thinking: block.text,
        signature: block.thought ? signatureOf(block.thought) : '',
      }
    case 'sealed':
      return { type: 'redacted_thinking', data: redactedData(block.thought) }
    case 'call':
      return { type: 'tool_use', id: block.id, name: block.name, input: inputOf(block.text) }
    case 'image':
      return { type: 'image', source: sourceOf(block.url) }
  }
}

/** Arguments that are not a JSON object are passed on as text, in the field `arguments`. */
function inputOf(text: string): Record<string, unknown> {
  return text === '' ? {} : (parseJsonObject(text) ?? { arguments: text })
}

function sourceOf(url: string): Record<string, unknown> {
  const [, mediaType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? []
  return mediaType ? { type: 'base64', media_type: mediaType, data } : { type: 'url', url }
}
