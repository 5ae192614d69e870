import { asText, isObject, listOf } from '@/lib/http/domain/is-object'
import { parseJsonObject } from '@/lib/upstream/read-body'

/**
 * A model's reasoning as OpenRouter sends it (`reasoning_details`), and wants it back with the next question: text
 * with a signature, a summary, or something that only the model's maker can read.
 */
export type Thought = Record<string, unknown>

/** Marks reasoning for which the dialect has no field, packed beside the text. */
const SEAL = 'thought-1.'
/**
 * The most quotes, brackets and commas in the JSON of a thought, which has a few fields and no lists. A client can put
 * anything behind the mark, where the values of its body are not counted: 30 MB of keys would take half a minute to
 * parse.
 */
const SIGN_COUNT_MAX = 64

/** Reads an upstream's list of thoughts; empty if it is none. */
export function thoughtsOf(details: unknown): Thought[] {
  return listOf(details).filter(isObject)
}

/** The part that a person may read. */
export function thoughtText({ type, text, summary }: Thought): string {
  return asText(type === 'reasoning.summary' ? summary : text)
}

/** Everything but the text, packed into one string. */
export function sealThought({ text: _text, summary: _summary, ...thought }: Thought): string {
  return SEAL + Buffer.from(JSON.stringify(thought)).toString('base64url')
}

export function isSealed(text: string): boolean {
  return text.startsWith(SEAL)
}

/** The thought from its packed part and its text; null if the packed part is not ours. */
export function unsealThought(seal: string | null | undefined, words: string): Thought | null {
  if (!seal || !isSealed(seal)) return null
  const json = Buffer.from(seal.slice(SEAL.length), 'base64url').toString('utf8')
  if (json.split(/["[{,]/, SIGN_COUNT_MAX + 1).length > SIGN_COUNT_MAX) return null
  const thought = parseJsonObject(json)
  if (!thought || thought.type === 'reasoning.encrypted') return thought
  return { ...thought, [thought.type === 'reasoning.summary' ? 'summary' : 'text']: words }
}
