/** Bounds of a call that is paid for, whatever it asks of an upstream. Tests shorten the times. */
export interface MeteringLimits {
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
  /** What may still run at shutdown before it is stopped; below the usual 30 s of process managers. */
  drainTimeoutMs: number
  /** How long an answer is kept to be resumed or replayed. */
  replayTtlSeconds: number
}

export const METERING_LIMITS: MeteringLimits = {
  exchangeDurationMsMax: 3_600_000,
  readerStallTimeoutMs: 120_000,
  holdTtlSeconds: 120,
  holdRenewalIntervalMs: 40_000,
  settleWaitMs: 2_000,
  settleRetryDelaysMs: [50, 100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800],
  drainTimeoutMs: 20_000,
  replayTtlSeconds: 600,
}

/** A whole answer with images in it. */
export const ANSWER_BYTES_MAX = 64 * 1024 * 1024
/** Read ahead of a slow reader; beyond, the upstream waits. */
export const READ_AHEAD_BYTES_MAX = 16 * 1024
/** A key is used for one request and its retries; failed attempts beyond these need a new one. */
export const IDEMPOTENT_ATTEMPT_COUNT_MAX = 10
/** What is kept of an answer to replay it: some 100,000 tokens in their events. Older events make way. */
export const TRANSCRIPT_BYTES_MAX = 24 * 1024 * 1024
