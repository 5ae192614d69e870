/** Every bound of an exchange, with its reason. Tests shorten the times; nothing else changes them. */
export interface ExchangeLimits {
  /** Connecting to an upstream on another continent takes well under a second. */
  connectTimeoutMs: number
  /** Reasoning models may think for a minute or two before their first byte. */
  firstByteTimeoutMs: number
  /** Upstreams send a comment every few seconds while they work; this long a silence is a dead line. */
  betweenBytesTimeoutMs: number
  /** An answer in one piece has no bytes to wait for until it is complete. */
  wholeAnswerTimeoutMs: number
  /** Longer than the longest answers known; what still runs then has lost its way. */
  exchangeDurationMsMax: number
  /** A reader that takes nothing for this long is gone, even if its connection is not. */
  readerStallTimeoutMs: number
  /** A hold outlives its process by at most this; the sweeper then ends it. */
  holdTtlSeconds: number
  /** A third of the hold's life: two renewals may fail before it ends. */
  holdRenewalIntervalMs: number
  /** How long the last chunk waits for the ledger before it leaves without a balance. */
  settleWaitMs: number
  /** Pauses between attempts to settle; their sum spans a restart of the database. */
  settleRetryDelaysMs: readonly number[]
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
  /** What may still run at shutdown before it is stopped; below the usual 30 s of process managers. */
  drainTimeoutMs: number
  /** How long an answer is kept to be resumed or replayed. */
  replayTtlSeconds: number
}

export const EXCHANGE_LIMITS: ExchangeLimits = {
  connectTimeoutMs: 10_000,
  firstByteTimeoutMs: 120_000,
  betweenBytesTimeoutMs: 60_000,
  wholeAnswerTimeoutMs: 600_000,
  exchangeDurationMsMax: 3_600_000,
  readerStallTimeoutMs: 120_000,
  holdTtlSeconds: 120,
  holdRenewalIntervalMs: 40_000,
  settleWaitMs: 2_000,
  settleRetryDelaysMs: [50, 100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800],
  generationRecordTimeoutMs: 3_000,
  stopWaitMs: 3_000,
  announcementTtlSeconds: 60,
  stopLookIntervalMs: 1_000,
  elsewhereLookIntervalMs: 250,
  elsewhereWaitMs: 20_000,
  drainTimeoutMs: 20_000,
  replayTtlSeconds: 600,
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
/** A whole answer with images in it. */
export const ANSWER_BYTES_MAX = 64 * 1024 * 1024
/** An upstream's refusal is a sentence; the rest of it is not read. */
export const REFUSAL_BYTES_MAX = 64 * 1024
/** What is kept of an answer to replay it: some 100,000 tokens in their events. Older events make way. */
export const TRANSCRIPT_BYTES_MAX = 24 * 1024 * 1024
/** Read ahead of a slow reader; beyond, the upstream waits. */
export const READ_AHEAD_BYTES_MAX = 16 * 1024
/** A key is used for one request and its retries; failed attempts beyond these need a new one. */
export const IDEMPOTENT_ATTEMPT_COUNT_MAX = 10
