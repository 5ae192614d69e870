import { type Message, messageText, type Receipt, type Timing } from './conversation'
import { sumUsd } from './conversation-cost'

/** What reads as one message. */
export interface Whole {
  /** As it is read, with the id of its first part. */
  readonly message: Message
  /** The messages that it is stored as: an answer and its continuations. */
  readonly parts: readonly [Message, ...Message[]]
  /** The index of the first of them in the list. */
  readonly startIndex: number
}

/** The messages as they are read: a continuation is part of its answer. */
export function wholeMessages(messages: readonly Message[]): readonly Whole[] {
  const all: { parts: [Message, ...Message[]]; startIndex: number }[] = []
  messages.forEach((message, index) => {
    const before = all.at(-1)
    const carriesOn = message.continues === true && before?.parts[0].role === 'assistant'
    if (carriesOn) before.parts.push(message)
    else all.push({ parts: [message], startIndex: index })
  })
  return all.map(({ parts, startIndex }) => ({ ...joined(parts), startIndex }))
}

/** By its last part; the same as long as the parts are, so that nothing is rendered again. */
const known = new WeakMap<Message, Pick<Whole, 'message' | 'parts'>>()

function joined(parts: Whole['parts']): Pick<Whole, 'message' | 'parts'> {
  const [first] = parts
  const last = parts.at(-1) ?? first
  const before = known.get(last)
  if (before?.parts.length === parts.length && before.parts.every((part, at) => part === parts[at])) {
    return before
  }
  const whole = { parts, message: first === last ? first : join(first, last, parts) }
  known.set(last, whole)
  return whole
}

/** The first part's beginning, the last part's end, and the sum of text and cost. */
function join(first: Message, last: Message, parts: readonly Message[]): Message {
  const text = parts.map(messageText).join('')
  const attached = parts.flatMap(({ content }) =>
    typeof content === 'string' ? [] : content.filter(({ type }) => type !== 'text'),
  )
  const annotations = parts.flatMap(part => part.annotations ?? [])
  const toolCalls = parts.flatMap(part => part.tool_calls ?? [])
  const spoken = parts.flatMap(part => part.speech_receipt ?? [])
  return {
    ...last,
    id: first.id,
    parent: first.parent,
    created_at: first.created_at,
    continues: undefined,
    content: attached.length === 0 ? text : [{ type: 'text', text }, ...attached],
    reasoning: parts.flatMap(part => part.reasoning || []).join('\n\n'),
    annotations: annotations.length === 0 ? undefined : annotations,
    tool_calls: toolCalls.length === 0 ? undefined : toolCalls,
    receipt: sumOfReceipts(parts.flatMap(part => part.receipt ?? [])),
    speech_receipt: spoken.length === 0 ? undefined : { cost_usd: sumUsd(spoken) },
    timing: sumOfTimings(parts),
  }
}

function sumOfReceipts(receipts: readonly Receipt[]): Receipt | undefined {
  const last = receipts.at(-1)
  if (!last) return undefined
  const thought = receipts.flatMap(receipt => receipt.reasoning_token_count ?? [])
  return {
    ...last,
    cost_usd: sumUsd(receipts),
    input_token_count: sum(receipts.map(receipt => receipt.input_token_count)),
    output_token_count: sum(receipts.map(receipt => receipt.output_token_count)),
    ...(thought.length > 0 && { reasoning_token_count: sum(thought) }),
    estimated: receipts.some(({ estimated }) => estimated),
  }
}

/** Undefined if one of them was not measured. */
function sumOfTimings(parts: readonly Message[]): Timing | undefined {
  const timings = parts.flatMap(({ timing }) => timing ?? [])
  const [first] = timings
  if (!first || timings.length < parts.length) return undefined
  const thoughtMs = timings.flatMap(timing => timing.reasoning_ms ?? [])
  return {
    first_token_ms: first.first_token_ms,
    total_ms: sum(timings.map(timing => timing.total_ms)),
    ...(thoughtMs.length > 0 && { reasoning_ms: sum(thoughtMs) }),
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
