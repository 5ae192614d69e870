import { isObject, listOf } from '@/lib/http/domain/is-object'
import { parseJsonObject } from '@/lib/upstream/read-body'

/**
 * What a model thought, as OpenRouter tells it (`reasoning_details`), and wants it back with the next question:
 * words with a signature, a summary, or something that its maker alone can read.
 */
export type Thought = Record<string, unknown>

/** Begins what no field of a dialect has room for, beside the words. */
const SEAL = 'thought-1.'
/**
 * Signs of JSON's structure in a thought: it has a few fields, and no lists. A client may put anything behind the
 * seal, where the values of its body are not counted: 30 MB of keys would be parsed for half a minute.
 */
const SIGN_COUNT_MAX = 64

/** Of anything an upstream sent; nothing where it is no list of thoughts. */
export function thoughtsOf(details: unknown): Thought[] {
  return listOf(details).filter(isObject)
}

/** What a person may read of it. */
export function thoughtText({ type, text, summary }: Thought): string {
  const words = type === 'reasoning.summary' ? summary : text
  return typeof words === 'string' ? words : ''
}

/** All but the words, in one text. */
export function sealThought({ text: _text, summary: _summary, ...thought }: Thought): string {
  return SEAL + Buffer.from(JSON.stringify(thought)).toString('base64url')
}

export function isSealed(text: string): boolean {
  return text.startsWith(SEAL)
}

/** The thought behind a seal and its words; null where the seal, or what is behind it, is none of ours. */
export function unsealThought(seal: string | null | undefined, words: string): Thought | null {
  if (!seal || !isSealed(seal)) return null
  const json = Buffer.from(seal.slice(SEAL.length), 'base64url').toString('utf8')
  if (json.split(/["[{,]/, SIGN_COUNT_MAX + 1).length > SIGN_COUNT_MAX) return null
  const thought = parseJsonObject(json)
  if (!thought || thought.type === 'reasoning.encrypted') return thought
  return { ...thought, [thought.type === 'reasoning.summary' ? 'summary' : 'text']: words }
}
