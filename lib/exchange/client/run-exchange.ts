import {
  type ExchangeKeys,
  type Fetch,
  postExchange,
  readErrorBody,
  resumeExchange,
  stopExchange,
} from './exchange-request'
import { readEvents } from './read-events'
import { resumeNameOf } from './resume-name'
import type { AnswerError, StreamEvent } from './stream-event'
import { type Answer, EMPTY_ANSWER, reduceAnswer } from './stream-reducer'

/** The world around an exchange, replaced in tests. */
export interface ExchangeWorld {
  readonly fetch: Fetch
  /** Resolves after the time, or at once when aborted. Never rejects. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>
  /** Calls back whenever the page wakes: shown again, or back online. Returns how to unsubscribe. */
  readonly onWake: (listener: () => void) => () => void
  /** Milliseconds of any steady clock. */
  readonly now: () => number
}

export interface ExchangeInput {
  readonly keys: ExchangeKeys
  /** The request as JSON text; the same text on every retry, or the idempotency key would not match. */
  readonly body: string
  /** Known when an answer is picked up again after a reload. */
  readonly exchangeId: string | null
}

export type ExchangePhase = 'connecting' | 'streaming' | 'drawing' | 'reconnecting' | 'stopping'

export interface ExchangeObserver {
  readonly onExchangeId: (exchangeId: string) => void
  readonly onAnswer: (answer: Answer) => void
  readonly onPhase: (phase: ExchangePhase) => void
}

export interface ExchangeResult {
  readonly status: 'completed' | 'stopped' | 'failed'
  readonly answer: Answer
  readonly error: AnswerError | null
}

export interface RunningExchange {
  readonly stop: () => void
  readonly ended: Promise<ExchangeResult>
}

/** Errors of this client's own; sentences in the `chat` messages. */
export const CONNECTION_LOST = 'connection_lost'
export const REST_LOST = 'rest_lost'

/** A server that never answers is given up after about eight seconds. */
const START_RETRY_COUNT_MAX = 4
/** With RETRY_DELAY_MS_MAX about ten minutes, as long as the server keeps a transcript. */
const RESUME_RETRY_COUNT_MAX = 45
const RETRY_DELAY_MS = 500
const RETRY_DELAY_MS_MAX = 15_000
/** Silence after which a page that wakes no longer trusts its connection. */
const STALE_AFTER_MS = 4_000
/** How long a stopped answer may take to say what it cost. */
export const STOP_GRACE_MS = 10_000

/** Sends a message and reads its answer to the end, through lost connections and a sleeping page. */
export function runExchange(
  input: ExchangeInput,
  observer: ExchangeObserver,
  world: ExchangeWorld,
): RunningExchange {
  const exchange = new Exchange(input, observer, world)
  return { stop: () => exchange.stop(), ended: exchange.run() }
}

class Exchange {
  #answer: Answer = EMPTY_ANSWER
  #exchangeId: string | null
  #lastBytesAt = 0
  #stopping = false
  #stopSent = false
  /** Cuts the connection or the pause of now; the loop goes on behind it. */
  #attempt = new AbortController()
  readonly #grace = new AbortController()
  readonly #input: ExchangeInput
  readonly #observer: ExchangeObserver
  readonly #world: ExchangeWorld

  constructor(input: ExchangeInput, observer: ExchangeObserver, world: ExchangeWorld) {
    this.#input = input
    this.#observer = observer
    this.#world = world
    this.#exchangeId = input.exchangeId
  }

  stop(): void {
    if (this.#stopping) return
    this.#stopping = true
    this.#observer.onPhase('stopping')
    void this.#sendStop()
    void this.#world.wait(STOP_GRACE_MS, this.#grace.signal).then(() => {
      this.#grace.abort()
      this.#attempt.abort()
    })
  }

  async run(): Promise<ExchangeResult> {
    const unsubscribe = this.#world.onWake(() => this.#wake())
    try {
      const error = await this.#readToTheEnd()
      const failure = error ?? this.#answer.error
      const status = this.#stopping ? 'stopped' : failure ? 'failed' : 'completed'
      return { status, answer: this.#answer, error: status === 'failed' ? failure : null }
    } finally {
      unsubscribe()
      this.#grace.abort()
    }
  }

  /** Null when the stream ended by itself or by a stop; else why no further attempt is made. */
  async #readToTheEnd(): Promise<AnswerError | null> {
    let retryCount = 0
    for (;;) {
      const seenBefore = this.#answer.lastEventId
      this.#attempt = new AbortController()
      const error = await this.#connect()
      if (error || this.#answer.ended || this.#grace.signal.aborted) return error
      if (this.#answer.lastEventId > seenBefore) retryCount = 0
      const retryCountMax = this.#exchangeId === null ? START_RETRY_COUNT_MAX : RESUME_RETRY_COUNT_MAX
      if (retryCount >= retryCountMax) return { code: CONNECTION_LOST, message: '' }
      if (!this.#stopping) this.#observer.onPhase('reconnecting')
      this.#attempt = new AbortController()
      const delayMs = Math.min(RETRY_DELAY_MS * 2 ** retryCount, RETRY_DELAY_MS_MAX)
      await this.#world.wait(delayMs, this.#attempt.signal)
      if (this.#grace.signal.aborted) return null
      retryCount += 1
    }
  }

  /** One connection, read until it ends or breaks; an error here is the server's final word. */
  async #connect(): Promise<AnswerError | null> {
    const { fetch } = this.#world
    const { keys, body } = this.#input
    const { signal } = this.#attempt
    this.#lastBytesAt = this.#world.now()
    try {
      const resumed = this.#exchangeId !== null
      const response =
        this.#exchangeId === null
          ? await postExchange(fetch, keys, body, signal)
          : await resumeExchange(fetch, keys, this.#exchangeId, this.#answer.lastEventId, signal)
      this.#rememberExchangeId(response.headers.get('x-exchange-id'))
      if (!response.ok) return await this.#readRefusal(response, resumed)
      if (!this.#stopping) this.#observer.onPhase('streaming')
      if (response.body) {
        await readEvents(
          response.body,
          (event, eventId) => this.#take(event, eventId),
          () => {
            this.#lastBytesAt = this.#world.now()
          },
        )
      }
    } catch {
      // A broken connection: the loop resumes after the last event that arrived.
    }
    return null
  }

  /** Null when it is worth another attempt. */
  async #readRefusal(response: Response, resumed: boolean): Promise<AnswerError | null> {
    // Another of the server's processes is writing the answer.
    if (response.status === 409 && response.headers.has('retry-after')) return null
    const error = await readErrorBody(response)
    if (!resumed) return error ?? (response.status >= 500 ? null : { code: 'internal_error', message: '' })
    if (response.status >= 500 || response.status === 429) return null
    return { code: REST_LOST, message: error?.message ?? '' }
  }

  #take(event: StreamEvent, eventId: number | null): void {
    const next = reduceAnswer(this.#answer, event, eventId)
    if (next === this.#answer) return
    this.#answer = next
    this.#observer.onAnswer(next)
  }

  #rememberExchangeId(exchangeId: string | null): void {
    if (exchangeId === null || this.#exchangeId !== null) return
    this.#exchangeId = exchangeId
    this.#observer.onExchangeId(exchangeId)
    if (this.#stopping) void this.#sendStop()
  }

  /** By its id, or by the name that the server knows before the id has arrived here. */
  async #sendStop(): Promise<void> {
    if (this.#stopSent) return
    this.#stopSent = true
    const { keys } = this.#input
    try {
      const name = this.#exchangeId ?? (await resumeNameOf(keys.resumeKey))
      const response = name === null ? null : await stopExchange(this.#world.fetch, keys, name)
      this.#stopSent = response?.ok === true
    } catch {
      // The next connection tries again; without one, the grace time ends the wait.
      this.#stopSent = false
    }
  }

  #wake(): void {
    if (this.#world.now() - this.#lastBytesAt > STALE_AFTER_MS) this.#attempt.abort()
  }
}
