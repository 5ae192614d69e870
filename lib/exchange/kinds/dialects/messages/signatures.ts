import { isSealed, sealThought, type Thought, unsealThought } from '../thoughts'

/** Thoughts of Anthropic's own models; their signatures stand by themselves, as its clients bring them along. */
const FORMAT = 'anthropic-claude-v1'

/** Of a thought in words. */
export function signatureOf(thought: Thought): string {
  const { format, signature } = thought
  return format === FORMAT && typeof signature === 'string' ? signature : sealThought(thought)
}

/** Of a thought that nobody may read. */
export function redactedData(thought: Thought): string {
  return thought.format === FORMAT && typeof thought.data === 'string' ? thought.data : sealThought(thought)
}

/** Null where there is nothing that the model could know again. */
export function signedThought(words: string, signature: string | null | undefined): Thought | null {
  if (!signature) return null
  const bare = { type: 'reasoning.text', text: words, signature, format: FORMAT }
  return isSealed(signature) ? unsealThought(signature, words) : bare
}

export function redactedThought(data: string): Thought | null {
  return isSealed(data) ? unsealThought(data, '') : { type: 'reasoning.encrypted', data, format: FORMAT }
}
