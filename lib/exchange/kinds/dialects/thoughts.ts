import { isObject } from '@/lib/http/domain/is-object'
import { parseJsonObject } from '@/lib/upstream/read-answer'

/**
 * What a model thought, as OpenRouter tells it (`reasoning_details`), and wants it back with the next question:
 * words with a signature, a summary, or something that its maker alone can read.
 */
export type Thought = Record<string, unknown>

/** Begins what no field of a dialect has room for, beside the words. */
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

/** All but the words, in one text. */
export function sealThought({ text: _text, summary: _summary, ...thought }: Thought): string {
  return SEAL + Buffer.from(JSON.stringify(thought)).toString('base64url')
}

export function isSealed(text: string): boolean {
  return text.startsWith(SEAL)
}

/** The thought behind a seal and its words; null where the seal is none of ours. */
export function unsealThought(seal: string | null | undefined, words: string): Thought | null {
  if (!seal || !isSealed(seal)) return null
  const thought = parseJsonObject(Buffer.from(seal.slice(SEAL.length), 'base64url').toString('utf8'))
  if (!thought || thought.type === 'reasoning.encrypted') return thought
  return { ...thought, [thought.type === 'reasoning.summary' ? 'summary' : 'text']: words }
}
