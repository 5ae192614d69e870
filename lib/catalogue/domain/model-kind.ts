import type { ModelKind } from './model'

/** Names that reveal the kind if an upstream's list does not, as in plain OpenAI lists. */
const KIND_PATTERNS: readonly [RegExp, ModelKind | null][] = [
  [/rerank|moderation/i, null],
  [/embed/i, 'embedding'],
  [/whisper|transcribe|(^|[/_-])scribe([_-]|$)/i, 'transcription'],
  [/(^|[/_-])tts([_-]|$)|(^|\/)eleven_/i, 'speech'],
  [/dall-e|gpt-image|stable-diffusion|sdxl|imagen|(^|\/)flux/i, 'image'],
]

/** In the spellings of various hosts. */
const EMBEDDINGS = /^embeddings?$/i

/**
 * What a model can be used for. Any text output makes it a chat model, unless its name says that it transcribes. Null
 * for what this site does not offer, such as moderation.
 */
export function modelKind(id: string, outputModalities: readonly string[] | null): ModelKind | null {
  const named = KIND_PATTERNS.find(([pattern]) => pattern.test(id))
  if (!outputModalities || outputModalities.length === 0) return named ? named[1] : 'chat'
  if (outputModalities.includes('text')) return named?.[1] === 'transcription' ? 'transcription' : 'chat'
  if (outputModalities.includes('image')) return 'image'
  if (outputModalities.some(modality => EMBEDDINGS.test(modality))) return 'embedding'
  return outputModalities.includes('audio') || outputModalities.includes('speech') ? 'speech' : null
}

/** Families that reason before they answer, for lists that do not say so. A mistake here costs time, no money. */
const REASONING_PATTERN = new RegExp(
  [
    '(^|[/_~-])o[1-9]([_.:-]|$)',
    'gpt-?([5-9]|oss)|codex',
    'think|reason|deep-?research|magistral|qwq|qvq',
    'deepseek-?(r[1-9]|v[3-9])|(^|[/_-])r1([_.:-]|$)',
    'qwen-?[3-9]|glm-?([5-9]|4[.-][5-9]|z)|kimi-?k[2-9]|minimax-?m',
    'gemini-?(2[.-]5|[3-9])|gemma-?[4-9]|grok-?([4-9]|3-mini|code)',
    'claude-?(3[.-]7|(opus|sonnet|haiku|fable)-?[4-9]|[4-9])',
    'nemotron|ernie-?(x|[5-9])|hunyuan-?(t|a)|seed-?(oss|[1-9])|exaone-?(deep|[4-9])|phi-?4-?(mini-)?r',
  ].join('|'),
  'i',
)

export function reasonsByName(id: string): boolean {
  return REASONING_PATTERN.test(id)
}

/**
 * Deep research, and models that set others to work: these read and write as much as they like, whatever `max_tokens`
 * says, so that nothing in a request bounds their cost.
 */
const RESEARCHING_PATTERN = /deep-?research|multi-?agent|fugu/i

export function researchesByName(id: string): boolean {
  return RESEARCHING_PATTERN.test(id)
}

/** Families that search the web for every answer, requested or not, and bill the search. */
const SEARCHING_PATTERN = /sonar|search-(preview|api)|:online$/i

export function alwaysSearches(id: string): boolean {
  return SEARCHING_PATTERN.test(id)
}
