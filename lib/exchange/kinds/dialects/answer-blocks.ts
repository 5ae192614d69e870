import { fieldsOf, isObject, listOf } from '@/lib/http/domain/is-object'
import { parseJsonObject } from '@/lib/upstream/read-body'
import { type Thought, thoughtsOf, thoughtText } from './thoughts'

/** A part of an answer that other dialects write as a block of its own. */
export type AnswerBlock =
  | { kind: 'text' | 'refusal'; text: string }
  /** Null if the upstream sends nothing but text. */
  | { kind: 'thought'; text: string; thought: Thought | null }
  /** Reasoning that only the model's maker can read. */
  | { kind: 'sealed'; text: ''; thought: Thought }
  /** `text` is its arguments. */
  | { kind: 'call'; text: string; id: string; name: string }
  | { kind: 'image'; text: ''; url: string }

/** Is called for one block after the other: each is opened, grows and is closed before the next one. */
export interface BlockListener {
  opened(block: AnswerBlock, index: number): void
  grew(block: AnswerBlock, index: number, piece: string): void
  closed(block: AnswerBlock, index: number): void
}

/** A piece of a block, which consists of all pieces with the same key. */
interface Piece {
  key: string
  text: string
  begin: () => AnswerBlock
  /** Adds more to the block than text. */
  about?: Thought
}

/**
 * Separates what chat completions mix in one stream of deltas: text, reasoning and tool calls, which other dialects
 * send one after the other. A call whose arguments are incomplete when something else begins keeps its place, and the
 * rest waits for its turn.
 */
export class AnswerBlocks {
  readonly blocks: AnswerBlock[] = []
  finishReason: string | null = null
  nativeFinishReason: string | null = null
  readonly #listener: BlockListener | null
  #openKey: string | null = null
  readonly #waiting = new Map<string, Piece>()
  readonly #endedCalls = new Set<string>()
  #keyCount = 0
  /** By the index that the upstream gives a call; some give every call the same. */
  readonly #calls = new Map<unknown, { key: string; id: unknown }>()

  constructor(listener: BlockListener | null = null) {
    this.#listener = listener
  }

  get hasCalls(): boolean {
    return this.blocks.some(({ kind }) => kind === 'call')
  }

  /** The choices of a chunk, or of an answer in one piece. There is only one, since these dialects ask for no more. */
  take(choices: unknown): void {
    const choice = Array.isArray(choices) ? choices.find(each => isObject(each) && !each.index) : null
    if (!isObject(choice)) return
    const delta = choice.delta ?? choice.message
    if (isObject(delta)) for (const piece of this.#piecesOf(delta)) this.#put(piece)
    if (typeof choice.finish_reason === 'string') this.finishReason = choice.finish_reason
    if (typeof choice.native_finish_reason === 'string') this.nativeFinishReason = choice.native_finish_reason
  }

  /** Nothing more will arrive. */
  end(): void {
    this.#close()
    for (const piece of this.#waiting.values()) {
      this.#begin(piece)
      this.#grow(piece)
      this.#close()
    }
    this.#waiting.clear()
  }

  *#piecesOf(delta: Record<string, unknown>): Generator<Piece> {
    yield* this.#thoughtPieces(delta)
    yield* contentPieces(delta.content)
    if (isText(delta.refusal)) yield textPiece('refusal', delta.refusal)
    for (const image of listOf(delta.images)) yield* imagePieces(image, this.#newKey())
    for (const call of listOf(delta.tool_calls)) if (isObject(call)) yield this.#callPiece(call)
  }

  *#thoughtPieces(delta: Record<string, unknown>): Generator<Piece> {
    let hasWords = false
    for (const thought of thoughtsOf(delta.reasoning_details)) {
      if (thought.type === 'reasoning.encrypted') {
        yield { key: this.#newKey(), text: '', begin: () => ({ kind: 'sealed', text: '', thought }) }
        continue
      }
      const text = thoughtText(thought)
      if (text === '' && !isText(thought.signature)) continue
      hasWords ||= text !== ''
      const key = `thought ${thought.type} ${thought.index ?? ''}`
      yield { key, text, about: thought, begin: () => ({ kind: 'thought', text: '', thought: null }) }
    }
    // The same text again, for clients that do not know `reasoning_details`.
    const plain = delta.reasoning ?? delta.reasoning_content
    if (hasWords || !isText(plain)) return
    yield { key: 'thought', text: plain, begin: () => ({ kind: 'thought', text: '', thought: null }) }
  }

  #callPiece({ index = 0, id, function: called }: Record<string, unknown>): Piece {
    const { name, arguments: text } = fieldsOf(called)
    const known = this.#calls.get(index)
    const isNew = !known || (isText(id) && isText(known.id) && known.id !== id)
    const call = isNew ? { key: this.#newKey(), id } : known
    this.#calls.set(index, call)
    const begin = (): AnswerBlock => ({
      kind: 'call',
      text: '',
      id: isText(id) ? id : `call_${call.key}`,
      name: isText(name) ? name : '',
    })
    return { key: call.key, text: isText(text) ? text : '', begin }
  }

  #newKey(): string {
    this.#keyCount += 1
    return String(this.#keyCount)
  }

  #put(piece: Piece): void {
    // A complete call has ended; anything more that an upstream sends of it is ignored.
    if (this.#endedCalls.has(piece.key)) return
    if (piece.key === this.#openKey) this.#grow(piece)
    else if (this.#waiting.size > 0 || !this.#mayClose()) this.#keepWaiting(piece)
    else {
      this.#close()
      this.#begin(piece)
      this.#grow(piece)
    }
  }

  #keepWaiting(piece: Piece): void {
    const waiting = this.#waiting.get(piece.key)
    if (waiting) waiting.text += piece.text
    else this.#waiting.set(piece.key, { ...piece })
    if (waiting && piece.about) waiting.about = { ...waiting.about, ...piece.about }
  }

  #mayClose(): boolean {
    const open = this.#openKey === null ? null : this.blocks.at(-1)
    return open?.kind !== 'call' || parseJsonObject(open.text) !== null
  }

  #begin(piece: Piece): void {
    const block = piece.begin()
    this.#openKey = piece.key
    this.blocks.push(block)
    this.#listener?.opened(block, this.blocks.length - 1)
  }

  #grow({ text, about }: Piece): void {
    const block = this.blocks.at(-1)
    if (block?.kind === 'thought' && about) block.thought = { ...block.thought, ...about }
    if (!block || text === '') return
    block.text += text
    this.#listener?.grew(block, this.blocks.length - 1, text)
  }

  #close(): void {
    const block = this.#openKey === null ? null : this.blocks.at(-1)
    if (this.#openKey !== null && block?.kind === 'call') this.#endedCalls.add(this.#openKey)
    this.#openKey = null
    if (block) this.#listener?.closed(block, this.blocks.length - 1)
  }
}

function* contentPieces(content: unknown): Generator<Piece> {
  if (isText(content)) yield textPiece('text', content)
  for (const part of listOf(content)) {
    if (!isObject(part)) continue
    if (isText(part.text)) yield textPiece('text', part.text)
    if (isText(part.refusal)) yield textPiece('refusal', part.refusal)
  }
}

function textPiece(kind: 'text' | 'refusal', text: string): Piece {
  return { key: kind, text, begin: () => ({ kind, text: '' }) }
}

function* imagePieces(image: unknown, key: string): Generator<Piece> {
  const address = isObject(image) && isObject(image.image_url) ? image.image_url.url : null
  if (isText(address)) yield { key, text: '', begin: () => ({ kind: 'image', text: '', url: address }) }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
