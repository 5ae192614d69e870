import type { Decimal } from '@/lib/money/decimal'
import type { ReasoningControl } from './upstream-model'

/** What a model can be asked for. */
export const MODEL_KINDS = ['chat', 'image', 'speech', 'transcription', 'embedding'] as const
export type ModelKind = (typeof MODEL_KINDS)[number]

/** The prices of one upstream's units, in USD. Null: it names no such price (`priceOf` says which one then counts). */
export interface UnitPrices {
  /** Per token that is read. */
  readonly prompt: Decimal
  /** Per token that is written. */
  readonly completion: Decimal
  readonly request: Decimal
  /** Per picture: one that is sent along with a chat request, or drawn by a model that is paid by the piece. */
  readonly image: Decimal
  /** Per token of a picture that is sent along. */
  readonly inputImage: Decimal | null
  /** Per token of a picture that is drawn, where text is written as well. */
  readonly outputImage: Decimal | null
  /** Per token of sound that is sent along. */
  readonly inputAudio: Decimal | null
  /** Per token of spoken sound. */
  readonly outputAudio: Decimal | null
  readonly inputAudioCacheRead: Decimal | null
  readonly inputCacheRead: Decimal | null
  readonly inputCacheWrite: Decimal | null
  /** Into a cache that lasts longer than its usual few minutes. */
  readonly inputCacheWriteLong: Decimal | null
  readonly internalReasoning: Decimal | null
  /** Per search. */
  readonly webSearch: Decimal | null
  /** Per character of the text that is read aloud. */
  readonly inputCharacter: Decimal | null
  /** Per begun second of the recording that is written down. */
  readonly inputSecond: Decimal | null
}

export type PriceName = keyof UnitPrices

/** A part of the week, in UTC. */
export interface UtcWindow {
  /** 0 is Sunday; null is every day. */
  readonly days: readonly number[] | null
  /** Minutes of the day. A window that ends before it starts runs past midnight. */
  readonly startMinute: number
  /** Exclusive; 1440 is midnight. */
  readonly endMinute: number
}

/** Prices that stand in for the usual ones while every condition holds; one that is null, or not there, always does. */
export interface PriceOverride {
  /** More tokens read than this, of whatever kind. */
  readonly inputTokenCountAbove: number | null
  readonly window: UtcWindow | null
  /** The request was served at this tier, such as `flex`. */
  readonly serviceTier?: string
  readonly prices: Readonly<Partial<Record<PriceName, Decimal>>>
}

/** What this site charges, markup included. */
export interface Prices extends UnitPrices {
  /** Of those that apply the last that names a price wins. */
  readonly overrides: readonly PriceOverride[]
}

export interface Model {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly kind: ModelKind
  /** Unix seconds; 0 when the upstream does not say. */
  readonly createdAtSeconds: number
  /** Unix seconds after which the upstream may no longer have it; null when it does not say. */
  readonly expiresAtSeconds: number | null
  readonly contextLength: number | null
  readonly outputTokenCountMax: number | null
  readonly inputModalities: readonly string[]
  readonly outputModalities: readonly string[]
  /** Names of body fields; empty when the upstream does not say. */
  readonly supportedParameters: readonly string[]
  /** May think before it answers, and bill what nobody is shown. */
  readonly canReason: boolean
  /** Null where it cannot be asked to think more or less, or its upstream does not say. */
  readonly reasoning: ReasoningControl | null
  /** Of the first upstream that has it. */
  readonly prices: Prices
  /** Upstreams that have the model, in the operator's order; the next is tried when one refuses. */
  readonly upstreamIds: readonly string[]
}

/** Token counts of one exchange, as an upstream reports them or as we count them. */
export interface TokenUsage {
  /** All that was read: text, pictures, sound, from a cache or into it. */
  readonly inputTokenCount: number
  /** Part of the input that was read from the upstream's cache. */
  readonly cachedInputTokenCount: number
  /** Part of the input that was written to the upstream's cache. */
  readonly cacheWriteInputTokenCount: number
  /** Part of what was written there: for longer than the usual few minutes. */
  readonly longCacheWriteInputTokenCount: number
  /** Part of the input that was sound. */
  readonly audioInputTokenCount: number
  /** Part of the input that was pictures, where it is told. */
  readonly imageInputTokenCount: number
  /** All that was written: text, reasoning, pictures, sound. */
  readonly outputTokenCount: number
  /** Part of the output that was reasoning. */
  readonly reasoningTokenCount: number
  /** Part of the output that was sound. */
  readonly audioOutputTokenCount: number
  /** Part of the output that was pictures. */
  readonly imageOutputTokenCount: number
  /** Pictures that are paid by the piece. */
  readonly imageCount: number
  readonly webSearchCount: number
}

export interface Catalogue {
  /** Every usable model, the operator's order kept; the last good copy while an upstream is down. */
  listModels(): Promise<readonly Model[]>
  /**
   * By its id; or as routers list OpenAI's, which its clients and what is built on them know by a bare name.
   * Its host must be asked by the id. Null when no upstream has it, or its price is unusable.
   */
  findModel(name: string): Promise<Model | null>
}
