/** The prices that we read, by OpenRouter's names: USD per token, request, image, character or second. */
export const PRICE_FIELDS = [
  'prompt',
  'completion',
  'request',
  'image',
  'input_cache_read',
  'input_cache_write',
  'internal_reasoning',
  /** Of the text that a speech model reads aloud; no upstream publishes it, operators write it. */
  'input_character',
  /** Of the recording that a transcription model listens to. */
  'input_second',
] as const

export type PriceField = (typeof PRICE_FIELDS)[number]

/** Price texts as the upstream wrote them, not judged yet. A field that it left out is absent. */
export type UpstreamPricing = Readonly<Partial<Record<PriceField, string>>>

/** A model as an upstream's `/models` describes it, before its price is judged. */
export interface UpstreamModel {
  readonly id: string
  readonly name: string
  readonly description: string
  /** Unix seconds; 0 when not told. */
  readonly createdAtSeconds: number
  readonly contextLength: number | null
  readonly outputTokenCountMax: number | null
  /** Null when not told, as in plain OpenAI lists. */
  readonly inputModalities: readonly string[] | null
  readonly outputModalities: readonly string[] | null
  /** Null when the upstream publishes none. */
  readonly pricing: UpstreamPricing | null
}
