import { isObject } from '@/lib/http/domain/is-object'
import { parseJsonObject } from '@/lib/upstream/read-answer'

/**
 * What a model thought, as OpenRouter tells it (`reasoning_details`), and wants it back with the next question:
 * words with a signature, a summary, or something that its maker alone can read.
 */
export type Thought = Record<string, unknown>

/** The one form whose signature stands by itself; it is what Anthropic's own clients bring along. */
const ANTHROPIC_FORMAT = 'anthropic-claude-v1'
/** Begins a signature of ours: what no other field of a dialect has room for. */
const SEAL = 'thought-1.'

/** Of anything an upstream sent; nothing where it is no list of thoughts. */
export function thoughtsOf(details: unknown): Thought[] {
  return Array.isArray(details) ? details.filter(isObject) : []
}

/** What a person may read of it. */
export function thoughtText({ type, text, summary }: Thought): string {
  const words = type === 'reasoning.summary' ? summary : text
  return typeof words === 'string' ? words : ''
}

/** Without the words, which stand beside it. */
export function sealThought(thought: Thought): string {
  const { text: _text, summary: _summary, signature, data, ...rest } = thought
  const own = thought.type === 'reasoning.encrypted' ? data : signature
  if (rest.format === ANTHROPIC_FORMAT && typeof own === 'string') return own
  const sealed = { ...rest, ...(signature != null && { signature }), ...(data != null && { data }) }
  return SEAL + Buffer.from(JSON.stringify(sealed)).toString('base64url')
}

/** The thought behind a seal and its words; null where there is nothing that its model could use. */
export function unsealThought(
  seal: string | null | undefined,
  bare: { type: 'reasoning.text'; text: string } | { type: 'reasoning.encrypted' },
): Thought | null {
  if (!seal) return null
  const words = bare.type === 'reasoning.text' ? bare.text : null
  if (seal.startsWith(SEAL)) {
    const sealed = parseJsonObject(Buffer.from(seal.slice(SEAL.length), 'base64url').toString('utf8'))
    if (!sealed || words === null) return sealed
    return { ...sealed, [sealed.type === 'reasoning.summary' ? 'summary' : 'text']: words }
  }
  return words === null
    ? { type: bare.type, data: seal, format: ANTHROPIC_FORMAT }
    : { type: bare.type, text: words, signature: seal, format: ANTHROPIC_FORMAT }
}
