/**
 * The upstream's `pricing`, not checked yet: numbers as their source text (parse-exact-json), along with any unknown
 * fields.
 */
export type UpstreamPricing = Readonly<Record<string, unknown>>

/** How much a model can be asked to reason. */
export interface ReasoningControl {
  /** The efforts that a request may name, as listed by the upstream, greatest first. */
  readonly efforts: readonly string[]
  /** Whether it always reasons, requested or not. */
  readonly mandatory: boolean
}

/**
 * A model as an upstream's `/models` describes it, before its prices are checked. Null means that the list does not
 * say.
 */
export interface UpstreamModel {
  readonly id: string
  readonly name: string
  readonly description: string
  /** Unix seconds; 0 if not listed. */
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
