import { fieldsOf } from './upstream-prompt'
import type { RecordedRequest } from './upstream-script'
import { CREATED_SECONDS } from './upstream-wire'

/** Chunks of a chat completion, and a whole one, in the requested dialect. */
export interface DialectWriter {
  /** Before any reasoning, with what is known then: what was read. */
  begin(usage: unknown): NamedEvent[]
  delta(delta: Record<string, unknown>): NamedEvent[]
  error(error: Record<string, unknown>): NamedEvent
  end(finishReason: string | null, usage: unknown): NamedEvent[]
  whole(completion: Record<string, unknown>): Record<string, unknown>
}

export type NamedEvent = { type: string } & Record<string, unknown>

type Named = { id: string; model: string | null; provider: string | null }

/** Null for chat completions. */
export function dialectWriterFor({ path }: RecordedRequest, answer: Named) {
  if (path.startsWith('/messages')) return createMessagesWriter(answer)
  return path.startsWith('/responses') ? createResponsesWriter(answer) : null
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

interface Piece {
  kind: 'text' | 'thought' | 'call'
  text: string
  /** For a call that begins here. */
  id?: string
  name?: string
}

/** The pieces of a delta or a message. */
function piecesOf({ reasoning, content, tool_calls: calls }: Record<string, unknown>): Piece[] {
  const parts = isText(content) ? [content] : listOf(content).map(part => String(fieldsOf(part).text))
  return [
    ...(isText(reasoning) ? [{ kind: 'thought' as const, text: reasoning }] : []),
    ...parts.map(text => ({ kind: 'text' as const, text })),
    ...listOf(calls).map(call => {
      const { id, function: called } = fieldsOf(call)
      const { name, arguments: text } = fieldsOf(called)
      const begun = isText(id) || isText(name) ? { id: String(id ?? 'call_0'), name: String(name) } : {}
      return { kind: 'call' as const, text: String(text ?? ''), ...begun }
    }),
  ]
}

const STOP_REASONS: Readonly<Record<string, string>> = { length: 'max_tokens', tool_calls: 'tool_use' }
const BLOCK_TYPES = { text: 'text', thought: 'thinking', call: 'tool_use' } as const

/** Empty for a call whose arguments a script has spoiled. */
function inputOf(text: string): Record<string, unknown> {
  try {
    return fieldsOf(JSON.parse(text))
  } catch {
    return {}
  }
}

const SIGNATURE = 'c2lnbmVk'
const SIGNATURE_DELTA = { type: 'signature_delta', signature: SIGNATURE }

/** Anthropic's, according to its documentation of streaming. */
function createMessagesWriter({ id, model, provider }: Named): DialectWriter {
  const named = { ...(model !== null && { model }), ...(provider !== null && { provider }) }
  const head = { id: `msg_${id}`, type: 'message', role: 'assistant', ...named }
  let index = -1
  let open: string | null = null
  const close = (): NamedEvent[] => {
    if (open === null) return []
    const signed = { type: 'content_block_delta', index, delta: SIGNATURE_DELTA }
    return [...(open === BLOCK_TYPES.thought ? [signed] : []), { type: 'content_block_stop', index }]
  }
  const startOf = ({ kind, id: callId, name }: Piece) => {
    if (kind === 'text') return { type: 'text', text: '' }
    if (kind === 'thought') return { type: 'thinking', thinking: '', signature: '' }
    return { type: 'tool_use', id: callId, name, input: {} }
  }
  const deltaOf = ({ kind, text }: Piece) => {
    if (kind === 'text') return { type: 'text_delta', text }
    if (kind === 'thought') return { type: 'thinking_delta', thinking: text }
    return { type: 'input_json_delta', partial_json: text }
  }
  return {
    begin(known) {
      const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens } = fieldsOf(
        messagesUsage(known),
      )
      const read = { input_tokens, cache_creation_input_tokens, cache_read_input_tokens }
      const usage = { ...read, output_tokens: 1 }
      const rest = { content: [], stop_reason: null, stop_sequence: null, usage }
      return [{ type: 'message_start', message: { ...head, ...rest } }, { type: 'ping' }]
    },
    delta: delta =>
      piecesOf(delta).flatMap(piece => {
        const grown = { type: 'content_block_delta', delta: deltaOf(piece) }
        if (open === BLOCK_TYPES[piece.kind] && piece.name === undefined) return [{ ...grown, index }]
        const closed = close()
        open = BLOCK_TYPES[piece.kind]
        index += 1
        return [
          ...closed,
          { type: 'content_block_start', index, content_block: startOf(piece) },
          { ...grown, index },
        ]
      }),
    error: error => ({ type: 'error', error: { type: 'overloaded_error', ...error } }),
    end(finishReason, usage) {
      const delta = { stop_reason: STOP_REASONS[finishReason ?? ''] ?? 'end_turn', stop_sequence: null }
      const report = usage === undefined ? {} : { usage: messagesUsage(usage) }
      return [...close(), { type: 'message_delta', delta, ...report }, { type: 'message_stop' }]
    },
    whole({ choices, usage }) {
      const { message, finish_reason: reason } = fieldsOf(listOf(choices)[0])
      const content = piecesOf(fieldsOf(message)).map(({ kind, text, id: callId, name }) => {
        if (kind === 'text') return { type: 'text', text }
        if (kind === 'thought') return { type: 'thinking', thinking: text, signature: SIGNATURE }
        return { type: 'tool_use', id: callId, name, input: inputOf(text) }
      })
      const end = { stop_reason: STOP_REASONS[String(reason)] ?? 'end_turn', stop_sequence: null }
      return { ...head, content, ...end, ...(usage !== undefined && { usage: messagesUsage(usage) }) }
    },
  }
}

/**
 * Tokens read from a cache, or written to one, are counted separately; a usage that is not an object is kept as it is.
 */
function messagesUsage(usage: unknown): unknown {
  const { prompt_tokens: prompt, completion_tokens, total_tokens: _total, ...rest } = fieldsOf(usage)
  const { prompt_tokens_details, completion_tokens_details: _written, ...others } = rest
  if (typeof prompt !== 'number') return usage
  const { cached_tokens = 0, cache_write_tokens = 0 } = fieldsOf(prompt_tokens_details)
  return {
    ...others,
    input_tokens: prompt - Number(cached_tokens) - Number(cache_write_tokens),
    cache_creation_input_tokens: cache_write_tokens,
    cache_read_input_tokens: cached_tokens,
    output_tokens: completion_tokens,
  }
}

/** OpenAI's names for each kind of piece: the event with its text, and what it is a part of. */
const EVENT_NAMES = {
  text: { delta: 'response.output_text', part: 'response.content_part', index: { content_index: 0 } },
  thought: {
    delta: 'response.reasoning_summary_text',
    part: 'response.reasoning_summary_part',
    index: { summary_index: 0 },
  },
  call: { delta: 'response.function_call_arguments', part: null, index: {} },
} as const

function partOf(kind: Piece['kind'], text: string) {
  return kind === 'thought' ? { type: 'summary_text', text } : { type: 'output_text', text, annotations: [] }
}

/** OpenAI's, according to its documentation of streaming. */
function createResponsesWriter({ id, model }: Named): DialectWriter {
  const named = { id: `resp_${id}`, object: 'response', created_at: CREATED_SECONDS, error: null }
  const head = { ...named, incomplete_details: null, ...(model !== null && { model }), store: false }
  const items: Record<string, unknown>[] = []
  let open: Piece['kind'] | null = null
  let sequenceNumber = 0
  const numbered = (events: NamedEvent[]) =>
    events.map(event => ({ ...event, sequence_number: sequenceNumber++ }))
  const place = () => ({ item_id: items.at(-1)?.id, output_index: items.length - 1 })
  const itemOf = ({ kind, text, id: callId, name }: Piece, index: number) => {
    const status = 'completed'
    if (kind === 'call')
      return { id: `fc_${index}`, type: 'function_call', status, call_id: callId, name, arguments: text }
    if (kind === 'thought') return { id: `rs_${index}`, type: 'reasoning', summary: [partOf(kind, text)] }
    return { id: `msg_${index}`, type: 'message', role: 'assistant', status, content: [partOf(kind, text)] }
  }
  let text = ''
  let begun: Piece | null = null
  const close = (): NamedEvent[] => {
    if (begun === null) return []
    const { kind } = begun
    const item = itemOf({ ...begun, text }, items.length - 1)
    items.splice(-1, 1, item)
    begun = null
    const { part, index, delta } = EVENT_NAMES[kind]
    const whole = kind === 'call' ? { arguments: text } : { text }
    const done: NamedEvent[] = [{ type: `${delta}.done`, ...place(), ...index, ...whole }]
    if (part) done.push({ type: `${part}.done`, ...place(), ...index, part: partOf(kind, text) })
    return [...done, { type: 'response.output_item.done', output_index: items.length - 1, item }]
  }
  const emptied = (item: Record<string, unknown>) => ({
    ...item,
    ...('status' in item && { status: 'in_progress' }),
    ...('content' in item && { content: [] }),
    ...('summary' in item && { summary: [] }),
  })
  return {
    begin() {
      const response = { ...head, status: 'in_progress', output: [], usage: null }
      return numbered(['created', 'in_progress'].map(name => ({ type: `response.${name}`, response })))
    },
    delta: delta =>
      piecesOf(delta).flatMap(piece => {
        const opened: NamedEvent[] = []
        const { part, index, delta: name } = EVENT_NAMES[piece.kind]
        if (open !== piece.kind || piece.name !== undefined) {
          opened.push(...close())
          open = piece.kind
          begun = piece
          text = ''
          items.push(emptied(itemOf({ ...piece, text: '' }, items.length)))
          const added = { output_index: items.length - 1, item: items.at(-1) }
          opened.push({ type: 'response.output_item.added', ...added })
          const began = { ...place(), ...index, part: partOf(piece.kind, '') }
          if (part) opened.push({ type: `${part}.added`, ...began })
        }
        text += piece.text
        return numbered([...opened, { type: `${name}.delta`, ...place(), ...index, delta: piece.text }])
      }),
    error: error => ({
      type: 'response.failed',
      response: { ...head, status: 'failed', output: items, error },
      sequence_number: sequenceNumber++,
    }),
    end(finishReason, usage) {
      const closed = close()
      const status = finishReason === 'length' ? 'incomplete' : 'completed'
      const report = usage === undefined ? {} : { usage: responsesUsage(usage) }
      const response = { ...head, status, output: items, ...report }
      return numbered([...closed, { type: `response.${status}`, response }])
    },
    whole({ choices, usage }) {
      const { message, finish_reason: reason } = fieldsOf(listOf(choices)[0])
      const output = piecesOf(fieldsOf(message)).map(itemOf)
      const status = reason === 'length' ? 'incomplete' : 'completed'
      return { ...head, status, output, ...(usage !== undefined && { usage: responsesUsage(usage) }) }
    },
  }
}

function responsesUsage(usage: unknown): unknown {
  const { prompt_tokens: prompt, completion_tokens: output_tokens, ...rest } = fieldsOf(usage)
  const { prompt_tokens_details, completion_tokens_details, ...others } = rest
  if (typeof prompt !== 'number') return usage
  return {
    ...others,
    input_tokens: prompt,
    input_tokens_details: prompt_tokens_details,
    output_tokens,
    output_tokens_details: completion_tokens_details,
  }
}
