/** Every bound of an exchange, with its reason. Only tests change them, to shorten the times. */
export interface ExchangeLimits {
  /** Longer than the longest answers known; an answer that is still running then has gone wrong. */
  exchangeDurationMsMax: number
  /** A reader that takes nothing for this long is gone, even if its connection is not. */
  readerStallTimeoutMs: number
  /**
   * A reader of events hears of a silent model this often, by a comment. Proxies and clients give up a connection on
   * which nothing has arrived for 60 seconds, and some after 30.
   */
  commentIntervalMs: number
  /**
   * After so long a silence an answer in JSON begins with white space. Until then its status still says how it went, and
   * a header what it cost; but a proxy or client that gives up leaves somebody who asks, and pays, again.
   */
  jsonSilenceMsMax: number
  /** A hold outlives its process by at most this long; then the sweeper ends it. */
  holdTtlSeconds: number
  /**
   * A third of the hold's life: two renewals may fail before it ends. What an upstream bills a process that is killed
   * before its first renewal is the operator's loss, and not in the books: with an earlier checkpoint, nearly every
   * call would have to be counted by a tokenizer of 65 MB.
   */
  holdRenewalIntervalMs: number
  /** How long the end of a stream waits for the ledger before it is sent without a balance. */
  settleWaitMs: number
  /**
   * Pauses between attempts to settle, ten minutes together: a managed database may take minutes to fail over, and
   * otherwise nobody would pay for what was delivered meanwhile. None is long, so that the sweeper, which waits for a
   * while after an outage, does not get to a database that is back before the owner does. If it has come first, the
   * ledger learns of the loss.
   */
  settleRetryDelaysMs: readonly number[]
  /** What may still run at shutdown before it is stopped; below the usual 30 s of process managers. */
  drainTimeoutMs: number
  /** How long an answer is kept to be resumed or replayed. */
  replayTtlSeconds: number
  /**
   * Pauses between attempts to store an answer, two minutes together: a database may restart just when it ends, and
   * its reader's phone may sleep. It takes memory until then.
   */
  keepRetryDelaysMs: readonly number[]
  /** Pauses between looks for an answer that was just settled: megabytes take a moment to be sealed and stored. */
  replayPollDelaysMs: readonly number[]
  /** Connecting to an upstream on another continent takes well under a second. */
  connectTimeoutMs: number
  /**
   * What had already been written arrives without a pause. After one as long as between a model's words, there is no
   * more.
   */
  drainQuietMs: number
  /**
   * The same if a slow reader had held much up. A pause may then be the network's: a sender that was told to wait asks
   * again after 200 ms at the earliest (TCP's persist timer on Linux).
   */
  drainBacklogQuietMs: number
  /** An answer that comes without a pause is cut after this long all the same. */
  drainMsMax: number
  /** How long to wait for the upstream's record of an exchange that reported no usage. */
  generationRecordTimeoutMs: number
  /** How long a stop waits to report what the delivered part cost, which may take the host's record. */
  stopWaitMs: number
  /**
   * How long other processes believe an announcement; its owner renews it after half of that. A reader of an answer
   * whose process was killed waits in vain until it expires, which is no longer than `otherProcessWaitMs`. The other
   * half is longer than a database takes to restart.
   */
  announcementTtlSeconds: number
  /**
   * An answer that cannot be resumed is announced only after this long: most have ended by then, and a stop in
   * another process waits for it.
   */
  announcementDelayMs: number
  /** How soon an owner learns of a stop that another process received; one query for all its answers. */
  stopPollIntervalMs: number
  /** How often to poll for the end of an answer that another process is writing. */
  otherProcessPollIntervalMs: number
  /** After this long the client is told to ask again: shorter than proxies allow a silent request. */
  otherProcessWaitMs: number
}

/** Used by the browser, too. */
export const EXCHANGE_DURATION_MS_MAX = 3_600_000
export const REPLAY_TTL_SECONDS = 600
export const COMMENT_INTERVAL_MS = 15_000

export const EXCHANGE_LIMITS: ExchangeLimits = {
  exchangeDurationMsMax: EXCHANGE_DURATION_MS_MAX,
  readerStallTimeoutMs: 120_000,
  commentIntervalMs: COMMENT_INTERVAL_MS,
  jsonSilenceMsMax: 50_000,
  holdTtlSeconds: 120,
  holdRenewalIntervalMs: 40_000,
  settleWaitMs: 2_000,
  settleRetryDelaysMs: [50, 100, 200, 400, 800, 1_600, 3_200, 6_400, ...Array<number>(46).fill(12_800)],
  drainTimeoutMs: 20_000,
  replayTtlSeconds: REPLAY_TTL_SECONDS,
  keepRetryDelaysMs: [1_000, 2_000, 4_000, ...Array<number>(14).fill(8_000)],
  replayPollDelaysMs: [200, 400, 800],
  connectTimeoutMs: 10_000,
  drainQuietMs: 2,
  drainBacklogQuietMs: 300,
  drainMsMax: 1_000,
  generationRecordTimeoutMs: 3_000,
  stopWaitMs: 5_000,
  announcementTtlSeconds: 20,
  announcementDelayMs: 500,
  stopPollIntervalMs: 1_000,
  otherProcessPollIntervalMs: 250,
  otherProcessWaitMs: 20_000,
}

/**
 * How long to wait for an answer in one piece: less than the ten minutes of OpenAI's and Anthropic's clients. When they
 * give up they ask again by themselves, twice; an answer of ours says that it is over.
 */
export const WHOLE_ANSWER_MS_MAX = 590_000

/** The timeouts of a kind, besides that for connecting. */
export interface AnswerTimes {
  /** Until the upstream begins to answer. */
  firstByteTimeoutMs: number
  /** After this long a silence the connection counts as dead. */
  betweenBytesTimeoutMs: number
  /** Until an answer in one piece is complete, once it has begun. */
  bodyTimeoutMs: number
}

/**
 * Enough for an answer with pictures in it; parsing so much holds up other requests for less than a tenth of a
 * second.
 */
export const ANSWER_BYTES_MAX = 64 * 1024 * 1024
/** The longest idempotency key: as long as Stripe's. */
export const IDEMPOTENCY_KEY_LENGTH_MAX = 255
/** Attempts per idempotency key: after this many failed ones a client needs a new key. */
export const IDEMPOTENT_ATTEMPT_COUNT_MAX = 10
/** What is kept of a stream to replay it: some 100,000 tokens in their events. Older events are dropped. */
export const TRANSCRIPT_BYTES_MAX = 24 * 1024 * 1024
