import { isSealed, sealThought, type Thought, unsealThought } from '../thoughts'

/** Reasoning of Anthropic's own models, whose signatures are sent as its clients return them. */
const FORMAT = 'anthropic-claude-v1'

/** The signature of readable reasoning. */
export function signatureOf(thought: Thought): string {
  const { format, signature } = thought
  return format === FORMAT && typeof signature === 'string' ? signature : sealThought(thought)
}

/** The data of redacted reasoning. */
export function redactedData(thought: Thought): string {
  return thought.format === FORMAT && typeof thought.data === 'string' ? thought.data : sealThought(thought)
}

/** Null if there is nothing that the model could recognise. */
export function signedThought(words: string, signature: string | null | undefined): Thought | null {
  if (!signature) return null
  const bare = { type: 'reasoning.text', text: words, signature, format: FORMAT }
  return isSealed(signature) ? unsealThought(signature, words) : bare
}

export function redactedThought(data: string): Thought | null {
  return isSealed(data) ? unsealThought(data, '') : { type: 'reasoning.encrypted', data, format: FORMAT }
}
