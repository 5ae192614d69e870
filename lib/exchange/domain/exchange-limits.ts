/** Every bound of an exchange, with its reason. Tests shorten the times; nothing else changes them. */
export interface ExchangeLimits {
  /** Longer than the longest answers known; what still runs then has lost its way. */
  exchangeDurationMsMax: number
  /** A reader that takes nothing for this long is gone, even if its connection is not. */
  readerStallTimeoutMs: number
  /** A hold outlives its process by at most this; the sweeper then ends it. */
  holdTtlSeconds: number
  /**
   * A third of the hold's life: two renewals may fail before it ends. What a process that is killed before its first
   * one was billed is the operator's: to say so earlier, nearly every call would be counted by a tokenizer of 65 MB.
   */
  holdRenewalIntervalMs: number
  /** How long the last words wait for the ledger before they leave without a balance. */
  settleWaitMs: number
  /**
   * Pauses between attempts to settle. Together as long as a hold lives once its call is over: a managed database may
   * take a minute or two to move, and what was delivered until then would be nobody's to pay. None is long: a sweep
   * must not come first to a database that is back.
   */
  settleRetryDelaysMs: readonly number[]
  /** What may still run at shutdown before it is stopped; below the usual 30 s of process managers. */
  drainTimeoutMs: number
  /** How long an answer is kept to be resumed or replayed. */
  replayTtlSeconds: number
  /** An answer is kept a moment after it is paid for: megabytes take that long to be sealed and stored. */
  replayPollDelaysMs: readonly number[]
  /** Connecting to an upstream on another continent takes well under a second. */
  connectTimeoutMs: number
  /** What was there comes at once: after a pause like that between a model's words there is nothing more. */
  drainQuietMs: number
  /** Where a slow reader had held much up, a pause may be the network's. */
  drainBacklogQuietMs: number
  /** One that writes without a pause is cut all the same. */
  drainMsMax: number
  /** How long one waits for the upstream's own record of an exchange that told no usage. */
  generationRecordTimeoutMs: number
  /** How long a stop waits to be able to say what the delivered part cost. */
  stopWaitMs: number
  /**
   * Other processes believe for this long that an answer is being written; its owner says so again. Whoever reads one
   * whose process was killed waits for nothing until then: no longer than once (`otherProcessWaitMs`). What is left after
   * half of it, when it is said again, is longer than a database takes to start anew.
   */
  announcementTtlSeconds: number
  /**
   * What nobody can resume is announced when it has run for this long: most answers have ended by then, and
   * whoever stops one of them elsewhere looks again.
   */
  announcementDelayMs: number
  /** How soon an owner hears of a stop that another process was asked for; one query for all its answers. */
  stopPollIntervalMs: number
  /** How often a reader looks for the end of an answer that another process is writing. */
  otherProcessPollIntervalMs: number
  /** Then the reader is told to ask again: below the time after which proxies cut a silent request. */
  otherProcessWaitMs: number
}

/** Two that the browser's side reckons with as well. */
export const EXCHANGE_DURATION_MS_MAX = 3_600_000
export const REPLAY_TTL_SECONDS = 600

export const EXCHANGE_LIMITS: ExchangeLimits = {
  exchangeDurationMsMax: EXCHANGE_DURATION_MS_MAX,
  readerStallTimeoutMs: 120_000,
  holdTtlSeconds: 120,
  holdRenewalIntervalMs: 40_000,
  settleWaitMs: 2_000,
  settleRetryDelaysMs: [50, 100, 200, 400, 800, 1_600, 3_200, 6_400, ...Array<number>(7).fill(12_800)],
  drainTimeoutMs: 20_000,
  replayTtlSeconds: REPLAY_TTL_SECONDS,
  replayPollDelaysMs: [200, 400, 800],
  connectTimeoutMs: 10_000,
  drainQuietMs: 2,
  drainBacklogQuietMs: 150,
  drainMsMax: 1_000,
  generationRecordTimeoutMs: 3_000,
  stopWaitMs: 3_000,
  announcementTtlSeconds: 20,
  announcementDelayMs: 500,
  stopPollIntervalMs: 1_000,
  otherProcessPollIntervalMs: 250,
  otherProcessWaitMs: 20_000,
}

/** What a kind waits for, beside connecting. */
export interface AnswerTimes {
  /** Until an upstream begins to answer. */
  firstByteTimeoutMs: number
  /** This long a silence is a dead line. */
  betweenBytesTimeoutMs: number
  /** Until an answer in one piece is complete, once it has begun. */
  bodyTimeoutMs: number
}

/** A whole answer with pictures in it; parsing so much holds other requests up for less than a tenth of a second. */
export const ANSWER_BYTES_MAX = 64 * 1024 * 1024
/** A key is used for one request and its retries; failed attempts beyond these need a new one. */
export const IDEMPOTENT_ATTEMPT_COUNT_MAX = 10
/** What is kept of an answer to replay it: some 100,000 tokens in their events. Older events make way. */
export const TRANSCRIPT_BYTES_MAX = 24 * 1024 * 1024
