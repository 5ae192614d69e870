import { EXCHANGE_DURATION_MS_MAX, REPLAY_TTL_SECONDS } from '../domain/exchange-limits'
import {
  type Answer,
  type AnswerError,
  CONNECTION_LOST,
  EMPTY_ANSWER,
  type ExchangeResult,
  REST_LOST,
  resultOf,
} from './answer'
import type { ExchangeKind, UpdateAnswer } from './exchange-kinds'
import {
  type Attempt,
  type ExchangeKeys,
  ExchangeRequests,
  LOST,
  readPostRefusal,
  readResumeRefusal,
  retryPauseMs,
} from './exchange-requests'
import type { ExchangeWorld } from './page-world'
import { readReceipt } from './read-answer'
import { Silence } from './silence'
import { ExchangeStop, STOP_GRACE_MS } from './stop-exchange'

export interface ExchangeInput {
  readonly kind: ExchangeKind
  readonly keys: ExchangeKeys
  /**
   * The JSON of the request, made when it is to be sent. Null if it is not the same text that was first sent with these
   * keys, since an idempotency key allows only that.
   */
  readonly prepareBody: () => Promise<string | null>
  /** These three are known of an exchange that is resumed after a reload. */
  readonly exchangeId: string | null
  readonly isSent: boolean
  readonly isStopped: boolean
  /** When it was sent or, if it was not, when it was asked. Epoch milliseconds. */
  readonly startedAtMs: number
}

/**
 * `offline`: not sent yet, and waiting for the network; nothing can have been charged.
 * `stopped`: the server has confirmed the stop; only the last words and the exact price may follow.
 * `finishing`: stopped too late; the answer is completed, charged and shown.
 */
export type ExchangePhase =
  | 'offline'
  | 'connecting'
  | 'streaming'
  | 'reconnecting'
  | 'stopping'
  | 'finishing'
  | 'stopped'

interface ExchangeObserver {
  readonly onExchangeId: (exchangeId: string) => void
  readonly onAnswer: (answer: Answer) => void
  readonly onPhase: (phase: ExchangePhase) => void
}

/** How long the server certainly knows an idempotency key; a request repeated later could be charged twice. */
const REPEAT_WITHIN_MS = REPLAY_TTL_SECONDS * 1_000
/** The longest possible answer, plus the time that the server keeps it. */
export const EXCHANGE_LIFE_MS = EXCHANGE_DURATION_MS_MAX + REPEAT_WITHIN_MS
/** With the pauses of `retryPauseMs` about a minute, after which a server that never answered is given up. */
const START_RETRY_COUNT_MAX = 8
/** With the same pauses about ten minutes, as long as the server keeps an answer. */
const RESUME_RETRY_COUNT_MAX = 45
/** A chunk this large had been waiting, and more may be: a picture, or an answer that is fetched again. */
const WAITING_BYTES = 16_384

/**
 * Sends a request and follows its answer to the end, through lost connections, a sleeping page and a stop. The same for
 * every kind of exchange.
 */
export function followExchange(input: ExchangeInput, observer: ExchangeObserver, world: ExchangeWorld) {
  const exchange = new Exchange(input, observer, world)
  return { stop: () => exchange.stop(), ended: exchange.run() }
}

class Exchange {
  #answer: Answer = EMPTY_ANSWER
  #exchangeId: string | null
  #body: string | null = null
  /** A request may have reached the server, and so may be charged. */
  #isSent: boolean
  /** Whether the next attempt sends the request, or resumes its answer. */
  #isPostDue: boolean
  #isStopping = false
  /** Connected when the network went; shown as lost until more arrives. */
  #isDoubtful = false
  /** When it was sent, or may have been. */
  #startedAtMs: number
  /** Makes the loop check the network again. */
  #wake: () => void = () => undefined
  /** Ends the current connection or pause; the loop goes on after it. */
  #attempt = new AbortController()
  /** Aborted when the exchange has ended. */
  readonly #over = new AbortController()
  readonly #input: ExchangeInput
  readonly #observer: ExchangeObserver
  readonly #world: ExchangeWorld
  readonly #requests: ExchangeRequests
  readonly #serverStop: ExchangeStop
  readonly #silence: Silence

  constructor(input: ExchangeInput, observer: ExchangeObserver, world: ExchangeWorld) {
    this.#input = input
    this.#observer = observer
    this.#world = world
    this.#requests = new ExchangeRequests(world.fetch, input.kind.path, input.keys)
    this.#serverStop = new ExchangeStop({
      requests: this.#requests,
      world,
      over: this.#over.signal,
      exchangeId: () => this.#exchangeId,
      onReply: reply => this.#takeStopReply(reply),
    })
    this.#silence = new Silence(world, input.kind.silenceMsMax)
    this.#exchangeId = input.exchangeId
    this.#isSent = input.isSent
    this.#isPostDue = !input.isSent
    this.#startedAtMs = input.startedAtMs
  }

  stop(): void {
    if (this.#isStopping) return
    this.#isStopping = true
    this.#observer.onPhase('stopping')
    if (this.#isSent) void this.#serverStop.askUntilTold()
    else this.#wake()
  }

  async run(): Promise<ExchangeResult> {
    if (this.#input.isStopped) this.stop()
    const unsubscribe = this.#world.onWake(() => {
      this.#wake()
      if (this.#silence.isStale) this.#attempt.abort()
    })
    const unsubscribeOffline = this.#world.onOffline(() => {
      if (!this.#isSent) return
      this.#isDoubtful = true
      this.#show('reconnecting')
    })
    try {
      const error = await this.#follow()
      const isUntold = this.#serverStop.outcome === null && this.#answer.receipt === null
      if (this.#isStopping && this.#isSent && isUntold) {
        // The end of the stopped answer may arrive before the reply to the stop.
        await Promise.race([this.#serverStop.ask(), this.#world.wait(STOP_GRACE_MS, this.#over.signal)])
      }
      return resultOf(this.#answer, error ?? this.#answer.error, {
        isStopping: this.#isStopping,
        isSent: this.#isSent,
        isStopConfirmed: this.#serverStop.outcome === 'stopped',
      })
    } finally {
      unsubscribe()
      unsubscribeOffline()
      this.#over.abort()
    }
  }

  /** Null if the answer has ended; else why no further attempt is made. */
  async #follow(): Promise<AnswerError | null> {
    let retryCount = 0
    for (;;) {
      const seenBefore = this.#answer.lastEventId
      await this.#waitForNetwork()
      this.#attempt = new AbortController()
      const attempt = await this.#connect()
      if (attempt.end === 'over') return attempt.error
      if (this.#ageMs() > EXCHANGE_LIFE_MS) return CONNECTION_LOST
      if (attempt.end === 'unknown') {
        const isBegun = this.#isStopping || this.#answer.lastEventId >= 0
        if (this.#serverStop.outcome !== null || (this.#exchangeId !== null && isBegun)) return REST_LOST
        // The process that replied may not know of it yet. If it is sent again, its idempotency key finds it.
        this.#exchangeId = null
        this.#isPostDue = !this.#isStopping
        if (this.#isPostDue) continue
      }
      if (attempt.end === 'busy' || this.#answer.lastEventId > seenBefore) retryCount = 0
      const retryCountMax = this.#exchangeId === null ? START_RETRY_COUNT_MAX : RESUME_RETRY_COUNT_MAX
      if (retryCount >= retryCountMax) return CONNECTION_LOST
      if (attempt.end !== 'busy') this.#show('reconnecting')
      const pauseMs = attempt.end === 'busy' ? attempt.pauseMs : retryPauseMs(retryCount)
      this.#attempt = new AbortController()
      await this.#world.wait(pauseMs, this.#attempt.signal)
      retryCount += 1
    }
  }

  /** Waits for the network, which would only use up the attempts. A stop of what was never sent ends it. */
  async #waitForNetwork(): Promise<void> {
    while (!this.#world.isOnline() && (this.#isSent || !this.#isStopping)) {
      this.#show(this.#isSent ? 'reconnecting' : 'offline')
      await new Promise<void>(resolve => {
        this.#wake = resolve
      })
    }
  }

  /** One connection, read until it ends or breaks. */
  async #connect(): Promise<Attempt> {
    const isPost = this.#isPostDue
    const { lastEventId } = this.#answer
    const { signal } = this.#attempt
    const over = new AbortController()
    this.#silence.endNow()
    // While resuming, the loss is already shown; each attempt would hide and show it again.
    if (isPost) this.#show('connecting')
    void this.#silence.cutOff(this.#attempt, over.signal)
    try {
      const response = isPost
        ? await this.#post(signal)
        : await this.#requests.resume(this.#exchangeId, lastEventId, signal)
      if ('end' in response) return response
      this.#silence.endNow()
      this.#learnExchangeId(response.headers.get('x-exchange-id'))
      if (!response.ok) return await (isPost ? readPostRefusal(response) : readResumeRefusal(response))
      this.#show('streaming')
      await this.#read(response, signal)
      return this.#answer.ended ? { end: 'over', error: null } : LOST
    } catch {
      // The loop resumes after the last event that arrived.
      return LOST
    } finally {
      over.abort()
    }
  }

  /** Sends the request only while it is wanted, and while it cannot be mistaken for another one. */
  async #post(signal: AbortSignal): Promise<Response | Attempt> {
    if (!this.#isSent) this.#startedAtMs = this.#world.now()
    this.#body ??= await this.#input.prepareBody()
    if (this.#body === null || this.#ageMs() >= REPEAT_WITHIN_MS) return { end: 'over', error: REST_LOST }
    this.#isPostDue = false
    if (this.#isStopping) return this.#isSent ? LOST : { end: 'over', error: null }
    this.#isSent = true
    this.#silence.allowSending(this.#body.length)
    return this.#requests.post(this.#body, signal)
  }

  async #read({ body }: Response, signal: AbortSignal): Promise<void> {
    const { receipt, balanceUsd, lastEventId } = this.#answer
    // No numbered event has arrived, so the reply is read from its beginning.
    if (lastEventId < 0) this.#answer = { ...EMPTY_ANSWER, receipt, balanceUsd }
    const reply = this.#input.kind.openReply(this.#update)
    const decoder = new TextDecoder()
    const reader = body?.getReader()
    for (;;) {
      const chunk = await reader?.read()
      if (!chunk || chunk.done) break
      this.#silence.endNow()
      if (this.#isDoubtful) this.#show('streaming')
      this.#isDoubtful = false
      reply.write(decoder.decode(chunk.value, { stream: true }))
      const isLive = chunk.value.length < WAITING_BYTES && !this.#answer.ended
      if (isLive) await this.#world.readyForMore(signal)
    }
    reply.end()
  }

  readonly #update: UpdateAnswer = change => {
    const next = change(this.#answer)
    if (next === this.#answer) return
    this.#answer = next
    this.#observer.onAnswer(next)
  }

  #learnExchangeId(exchangeId: string | null): void {
    if (exchangeId === null || this.#exchangeId !== null) return
    this.#exchangeId = exchangeId
    this.#observer.onExchangeId(exchangeId)
  }

  #takeStopReply(reply: Record<string, unknown>): void {
    this.#learnExchangeId(typeof reply.id === 'string' ? reply.id : null)
    if (this.#serverStop.outcome === 'stopped') {
      const told = readReceipt(reply)
      // The last event of a stream is more exact, and may have arrived before.
      this.#update(answer => ({
        ...answer,
        receipt: answer.receipt ?? told.receipt,
        balanceUsd: answer.balanceUsd ?? told.balanceUsd,
      }))
      void this.#world.wait(STOP_GRACE_MS, this.#over.signal).then(() => this.#attempt.abort())
    }
    if (this.#serverStop.outcome) this.#observer.onPhase(this.#serverStop.outcome)
  }

  #show(phase: ExchangePhase): void {
    if (!this.#isStopping) this.#observer.onPhase(phase)
  }

  #ageMs(): number {
    return this.#world.now() - this.#startedAtMs
  }
}
