import type { Decimal } from '@/lib/money/decimal'
import type { ReasoningControl } from './upstream-model'

/** What a model can be used for. */
export const MODEL_KINDS = ['chat', 'image', 'speech', 'transcription', 'embedding'] as const
export type ModelKind = (typeof MODEL_KINDS)[number]

/** Several times the longest known; a model with a longer id is not listed. */
export const MODEL_ID_LENGTH_MAX = 200

/**
 * The prices of an upstream's units, in USD. Null if it lists no such price; `priceOf` decides which one counts then.
 */
export interface UnitPrices {
  /** Per input token. */
  readonly prompt: Decimal
  /** Per output token. */
  readonly completion: Decimal
  readonly request: Decimal
  /** Per picture that is sent in a chat, or drawn by a model that is priced per picture. */
  readonly image: Decimal
  /** Per token of a picture that is sent. */
  readonly inputImage: Decimal | null
  /** Per token of a drawn picture, if the model writes text as well. */
  readonly outputImage: Decimal | null
  /** Per token of sound that is sent. */
  readonly inputAudio: Decimal | null
  /** Per token of sound that is spoken. */
  readonly outputAudio: Decimal | null
  readonly inputAudioCacheRead: Decimal | null
  readonly inputCacheRead: Decimal | null
  readonly inputCacheWrite: Decimal | null
  /** For a cache that lasts longer than the usual few minutes. */
  readonly inputCacheWriteLong: Decimal | null
  readonly internalReasoning: Decimal | null
  /** Per search. */
  readonly webSearch: Decimal | null
  /** Per character of text to be read aloud. */
  readonly inputCharacter: Decimal | null
  /** Per started second of a recording to be transcribed. */
  readonly inputSecond: Decimal | null
  /** The least that a recording costs, beside the price of the request. */
  readonly recordingMin: Decimal | null
}

export type PriceName = keyof UnitPrices

/** Those that a request, or an API key, may limit (`provider.max_price`). */
export const LIMITED_PRICES = ['prompt', 'completion', 'request', 'image'] as const

/** A part of the week, in UTC. */
export interface UtcWindow {
  /** 0 is Sunday; null means every day. */
  readonly days: readonly number[] | null
  /** Minutes since midnight. A window that ends before it starts runs past midnight. */
  readonly startMinute: number
  /** Exclusive; 1440 is midnight. */
  readonly endMinute: number
}

/**
 * Prices that replace the usual ones while every condition holds; a condition that is null, or absent, always does.
 */
export interface PriceOverride {
  /** More input tokens than this, of any kind. */
  readonly inputTokenCountAbove: number | null
  readonly window: UtcWindow | null
  /** Applies if the request was served at this tier, such as `flex`. */
  readonly serviceTier?: string
  readonly prices: Readonly<Partial<Record<PriceName, Decimal>>>
}

/** What this site charges, markup included. */
export interface Prices extends UnitPrices {
  /** If several apply, the last one that has a price wins. */
  readonly overrides: readonly PriceOverride[]
}

export interface Model {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly kind: ModelKind
  /** Unix seconds; 0 if the upstream does not say. */
  readonly createdAtSeconds: number
  /** Unix seconds after which the upstream may drop the model; null if it does not say. */
  readonly expiresAtSeconds: number | null
  /** Of the first upstream that has it; null if that does not say. */
  readonly contextLength: number | null
  /** The most that a prompt can come to, whichever upstream reads it; null if the first one does not say. */
  readonly contextLengthMax: number | null
  readonly outputTokenCountMax: number | null
  readonly inputModalities: readonly string[]
  readonly outputModalities: readonly string[]
  /** Names of body fields; empty if the upstream does not list them. */
  readonly supportedParameters: readonly string[]
  /** May reason before it answers, and bill reasoning that nobody sees. */
  readonly canReason: boolean
  /** Null if its reasoning cannot be controlled, or its upstream does not say. */
  readonly reasoning: ReasoningControl | null
  /** The prices of the first upstream that has it. */
  readonly prices: Prices
  /** The voices that a price of the operator's holds for; null for any voice. */
  readonly voices: readonly string[] | null
  /** Upstreams that have the model, in the operator's order; the next is tried if one refuses. */
  readonly upstreamIds: readonly string[]
}

/** The token counts of an exchange, as an upstream reports them or as we count them. */
export interface TokenUsage {
  /** All input: text, pictures, sound, cached or not. */
  readonly inputTokenCount: number
  /** The part of the input that was read from the upstream's cache. */
  readonly cachedInputTokenCount: number
  /** The part of the input that was written to the upstream's cache. */
  readonly cacheWriteInputTokenCount: number
  /** Part of that: for longer than the usual few minutes. */
  readonly longCacheWriteInputTokenCount: number
  /** The part of the input that was sound. */
  readonly audioInputTokenCount: number
  /** Part of the input that was pictures, if it is reported. */
  readonly imageInputTokenCount: number
  /** All output: text, reasoning, pictures, sound. */
  readonly outputTokenCount: number
  /** The part of the output that was reasoning. */
  readonly reasoningTokenCount: number
  /** The part of the output that was sound. */
  readonly audioOutputTokenCount: number
  /** The part of the output that was pictures. */
  readonly imageOutputTokenCount: number
  /** Pictures that are priced per piece. */
  readonly imageCount: number
  readonly webSearchCount: number
}

export interface Catalogue {
  /** Every usable model, in the operator's order; from the last good copy while an upstream is down. */
  listModels(): Promise<readonly Model[]>
  /**
   * Finds a model by its id, or by the bare name that OpenAI's clients use for one that routers list as `openai/…`. Its
   * host must be asked by the id. Null if no upstream has it, or its price is unusable.
   */
  findModel(name: string): Promise<Model | null>
  /**
   * Seconds until an upstream is asked again whose list has never arrived, not even as a stored copy: a model may be in
   * it that was not found. Null if no list is missing, or one has been for so long that nobody should wait for it.
   */
  secondsToMissingList(): Promise<number | null>
}
