import { METERING_LIMITS, type MeteringLimits } from '@/lib/ledger/domain/metering-limits'

/** Every bound of an exchange, with its reason. Tests shorten the times; nothing else changes them. */
export interface ExchangeLimits extends MeteringLimits {
  /** Connecting to an upstream on another continent takes well under a second. */
  connectTimeoutMs: number
  /** Reasoning models may think for a minute or two before their first byte. */
  firstByteTimeoutMs: number
  /** Upstreams send a comment every few seconds while they work; this long a silence is a dead line. */
  betweenBytesTimeoutMs: number
  /** An answer in one piece has no bytes to wait for until it is complete. */
  wholeAnswerTimeoutMs: number
  /** How long one waits for the upstream's own record of an exchange that told no usage. */
  generationRecordTimeoutMs: number
  /** How long a stop waits to be able to say what the delivered part cost. */
  stopWaitMs: number
  /** Other processes believe for this long that an answer is being written; its owner says so again. */
  announcementTtlSeconds: number
  /** How soon an owner hears of a stop that another process was asked for; one query for all its answers. */
  stopLookIntervalMs: number
  /** How often a reader looks for the end of an answer that another process is writing. */
  elsewhereLookIntervalMs: number
  /** Then the reader is told to ask again: below the time after which proxies cut a silent request. */
  elsewhereWaitMs: number
}

export const EXCHANGE_LIMITS: ExchangeLimits = {
  ...METERING_LIMITS,
  connectTimeoutMs: 10_000,
  firstByteTimeoutMs: 120_000,
  betweenBytesTimeoutMs: 60_000,
  wholeAnswerTimeoutMs: 600_000,
  generationRecordTimeoutMs: 3_000,
  stopWaitMs: 3_000,
  announcementTtlSeconds: 60,
  stopLookIntervalMs: 1_000,
  elsewhereLookIntervalMs: 250,
  elsewhereWaitMs: 20_000,
}

/** Holds long conversations with several images; more would only occupy memory. */
export const REQUEST_BYTES_MAX = 32 * 1024 * 1024
/** Far above any real conversation; bounds the work of validating. */
export const MESSAGE_COUNT_MAX = 10_000
/** As many answers to one question as OpenAI allows. */
export const CHOICE_COUNT_MAX = 128
/** Fallback models that a request may name beside its own. */
export const FALLBACK_MODEL_COUNT_MAX = 16
/** Above every context window known. */
export const TOKEN_COUNT_MAX = 10_000_000
/** Output when the request names no bound: long for an answer, and small enough to be held for. */
export const DEFAULT_OUTPUT_TOKEN_COUNT_MAX = 16_384
/** The useful floor: an answer capped below a sentence is worse than the refusal that names a top-up. */
export const USEFUL_OUTPUT_TOKEN_COUNT = 32
/** An event that has not ended by here is no event; images in answers are a few megabytes. */
export const EVENT_BYTES_MAX = 16 * 1024 * 1024
