import type { Decimal } from '@/lib/money/decimal'

/** What a model can be asked for. */
export type ModelKind = 'chat' | 'image' | 'speech' | 'transcription'

/**
 * Prices in USD per unit (token, request, image, character or second) that this site charges, markup included. Null: the
 * upstream names no such price, and the model falls back as `domain/cost.ts` says.
 */
export interface Prices {
  readonly prompt: Decimal
  readonly completion: Decimal
  readonly request: Decimal
  readonly image: Decimal
  readonly inputCacheRead: Decimal | null
  readonly inputCacheWrite: Decimal | null
  readonly internalReasoning: Decimal | null
  /** Per character of the text that is read aloud. */
  readonly inputCharacter: Decimal | null
  /** Per begun second of the recording that is written down. */
  readonly inputSecond: Decimal | null
}

export interface Model {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly kind: ModelKind
  /** Unix seconds; 0 when the upstream does not say. */
  readonly createdAtSeconds: number
  readonly contextLength: number | null
  readonly outputTokenCountMax: number | null
  readonly inputModalities: readonly string[]
  readonly outputModalities: readonly string[]
  readonly prices: Prices
  /** Upstreams that have the model, in the operator's order; the next is tried when one refuses. */
  readonly upstreamIds: readonly string[]
}

/** Token counts of one exchange, as an upstream reports them or as we count them. */
export interface TokenUsage {
  readonly inputTokenCount: number
  /** Part of the input that was read from the upstream's cache. */
  readonly cachedInputTokenCount: number
  readonly outputTokenCount: number
  /** Part of the output that was reasoning. */
  readonly reasoningTokenCount: number
  readonly imageCount: number
}

export interface Catalogue {
  /** Every usable model, the operator's order kept; the last good copy while an upstream is down. */
  listModels(): Promise<readonly Model[]>
  /** Null when no upstream has it, or its price is unusable. */
  findModel(modelId: string): Promise<Model | null>
}
