/**
 * `pricing` as the upstream wrote it, not judged yet: numbers as the text that stood there
 * (parse-exact-json), whatever else it holds beside the prices that are known.
 */
export type UpstreamPricing = Readonly<Record<string, unknown>>

/** How much a model may be asked to think. */
export interface ReasoningControl {
  /** What a request may name, as the upstream lists them: the greatest first. */
  readonly efforts: readonly string[]
  /** It thinks whether it is asked to or not. */
  readonly mandatory: boolean
}

/** A model as an upstream's `/models` describes it, before its price is judged. Null: not told. */
export interface UpstreamModel {
  readonly id: string
  readonly name: string
  readonly description: string
  /** Unix seconds; 0 when not told. */
  readonly createdAtSeconds: number
  readonly expiresAtSeconds: number | null
  readonly contextLength: number | null
  readonly outputTokenCountMax: number | null
  /** Null in plain OpenAI lists. */
  readonly inputModalities: readonly string[] | null
  readonly outputModalities: readonly string[] | null
  readonly supportedParameters: readonly string[] | null
  readonly canReason: boolean | null
  readonly reasoning: ReasoningControl | null
  readonly pricing: UpstreamPricing | null
}

/** A model of which only the id is known. */
export function unlistedModel(id: string): UpstreamModel {
  return {
    id,
    name: id,
    description: '',
    createdAtSeconds: 0,
    expiresAtSeconds: null,
    contextLength: null,
    outputTokenCountMax: null,
    inputModalities: null,
    outputModalities: null,
    supportedParameters: null,
    canReason: null,
    reasoning: null,
    pricing: null,
  }
}
