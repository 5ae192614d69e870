import type { ModelKind } from './model'

/** Names that tell the kind where an upstream's list does not, as in plain OpenAI lists. */
const KIND_PATTERNS: readonly [RegExp, ModelKind | null][] = [
  [/embed|rerank|moderation/i, null],
  [/whisper|transcribe|(^|[/_-])scribe([_-]|$)/i, 'transcription'],
  [/(^|[/_-])tts([_-]|$)|(^|\/)eleven_/i, 'speech'],
  [/dall-e|gpt-image|stable-diffusion|sdxl|imagen|(^|\/)flux/i, 'image'],
]

/**
 * What a model can be asked for. Any text output makes it a chat model, unless its name says that it
 * transcribes. Null: something that this site does not offer, such as embeddings.
 */
export function modelKind(id: string, outputModalities: readonly string[] | null): ModelKind | null {
  const named = KIND_PATTERNS.find(([pattern]) => pattern.test(id))
  if (!outputModalities || outputModalities.length === 0) return named ? named[1] : 'chat'
  if (outputModalities.includes('text')) return named?.[1] === 'transcription' ? 'transcription' : 'chat'
  if (outputModalities.includes('image')) return 'image'
  return outputModalities.includes('audio') || outputModalities.includes('speech') ? 'speech' : null
}
