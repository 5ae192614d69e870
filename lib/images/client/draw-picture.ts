import { isObject } from '@/lib/http/domain/is-object'
import { type Drawing, readDrawing } from './read-drawing'

const IMAGES_PATH = '/v1/images/generations'

/** The world around a drawing, replaced in tests. */
export interface DrawWorld {
  readonly fetch: (input: string, init: RequestInit) => Promise<Response>
  /** Resolves after the time, or at once when aborted. Never rejects. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>
  /** Calls back whenever the page wakes. Returns how to unsubscribe. */
  readonly onWake: (listener: () => void) => () => void
  /** Milliseconds of any steady clock. */
  readonly now: () => number
}

export interface DrawInput {
  /** Bearer secret: header only, never in an address. */
  readonly creditId: string
  readonly idempotencyKey: string
  /** The request as JSON text; the same text on every repeat, or the key would not match. */
  readonly body: string
}

export interface DrawObserver {
  readonly onExchangeId: (exchangeId: string) => void
  readonly onPhase: (phase: 'drawing' | 'reconnecting' | 'stopping') => void
}

export type DrawEnd =
  | { readonly outcome: 'drawn'; readonly drawing: Drawing }
  /** The server's final word, as it came; null when it was no word of our server's. */
  | { readonly outcome: 'refused'; readonly body: unknown }
  | { readonly outcome: 'lost' }
  /** `confirmed`: the server says that nothing was drawn, so nothing was charged. */
  | { readonly outcome: 'stopped'; readonly confirmed: boolean }

export interface RunningDrawing {
  readonly stop: () => void
  readonly ended: Promise<DrawEnd>
}

/** With the pauses below about a minute: a server that is gone for longer is given up. */
const LOST_RETRY_COUNT_MAX = 8
/** With the pause below ten minutes, as long as the server keeps an answer. */
const BUSY_RETRY_COUNT_MAX = 600
const BUSY_DELAY_MS = 1_000
const RETRY_DELAY_MS = 500
const RETRY_DELAY_MS_MAX = 15_000
/** Silence after which a page that wakes no longer trusts its connection. */
const STALE_AFTER_MS = 4_000
/** How long a stopped drawing may take to say what became of it. */
export const STOP_GRACE_MS = 10_000

/**
 * Asks for a picture until it is known what became of it. The key makes every repeat safe: the first
 * request draws, the others get the same picture, and only one is charged.
 */
export function drawPicture(input: DrawInput, observer: DrawObserver, world: DrawWorld): RunningDrawing {
  const drawing = new DrawingInProgress(input, observer, world)
  return { stop: () => drawing.stop(), ended: drawing.run() }
}

class DrawingInProgress {
  readonly #input: DrawInput
  readonly #observer: DrawObserver
  readonly #world: DrawWorld
  /** Nothing is asked any more. */
  readonly #over = new AbortController()
  /** Cuts the request or the pause of now; the loop goes on behind it. */
  #attempt = new AbortController()
  #attemptedAt = 0
  #isStopping = false
  #isStopConfirmed = false

  constructor(input: DrawInput, observer: DrawObserver, world: DrawWorld) {
    this.#input = input
    this.#observer = observer
    this.#world = world
    this.#over.signal.addEventListener('abort', () => this.#attempt.abort())
  }

  stop(): void {
    if (this.#isStopping) return
    this.#isStopping = true
    this.#observer.onPhase('stopping')
    void this.#askToStop()
    void this.#world.wait(STOP_GRACE_MS, this.#over.signal).then(() => this.#over.abort())
  }

  async run(): Promise<DrawEnd> {
    const unsubscribe = this.#world.onWake(() => {
      if (this.#world.now() - this.#attemptedAt > STALE_AFTER_MS) this.#attempt.abort()
    })
    try {
      return await this.#askUntilKnown()
    } finally {
      unsubscribe()
      this.#over.abort()
    }
  }

  async #askUntilKnown(): Promise<DrawEnd> {
    let lostCount = 0
    let busyCount = 0
    for (;;) {
      const result = await this.#ask()
      if (result !== 'lost' && result !== 'busy') return result
      if (this.#over.signal.aborted) return { outcome: 'stopped', confirmed: this.#isStopConfirmed }
      lostCount = result === 'lost' ? lostCount + 1 : 0
      if (result === 'busy') busyCount += 1
      if (lostCount > LOST_RETRY_COUNT_MAX || busyCount > BUSY_RETRY_COUNT_MAX) return { outcome: 'lost' }
      if (result === 'lost') this.#show('reconnecting')
      const delayMs = result === 'busy' ? BUSY_DELAY_MS : RETRY_DELAY_MS * 2 ** (lostCount - 1)
      this.#attempt = new AbortController()
      await this.#world.wait(Math.min(delayMs, RETRY_DELAY_MS_MAX), this.#attempt.signal)
      if (this.#over.signal.aborted) return { outcome: 'stopped', confirmed: this.#isStopConfirmed }
    }
  }

  async #ask(): Promise<DrawEnd | 'lost' | 'busy'> {
    this.#show('drawing')
    this.#attempt = new AbortController()
    this.#attemptedAt = this.#world.now()
    try {
      const response = await this.#world.fetch(IMAGES_PATH, {
        method: 'POST',
        headers: { ...headersOf(this.#input), 'content-type': 'application/json' },
        body: this.#input.body,
        signal: this.#attempt.signal,
      })
      const exchangeId = response.headers.get('x-exchange-id')
      if (exchangeId !== null) this.#observer.onExchangeId(exchangeId)
      // The first request with this key is still being answered, perhaps by another process.
      if (response.status === 409 && response.headers.has('retry-after')) return 'busy'
      return this.#read(response.status, await readJson(response))
    } catch {
      return 'lost'
    }
  }

  #read(status: number, body: unknown): DrawEnd | 'lost' {
    if (status === 200) {
      const drawing = readDrawing(body)
      if (drawing && drawing.pictureUrls.length > 0) return { outcome: 'drawn', drawing }
      return { outcome: 'refused', body: null }
    }
    // What the server says to the request that it was told to stop.
    if (this.#isStopping && status === 409) return { outcome: 'stopped', confirmed: true }
    // A proxy in between, or a server that is starting again: the key makes it safe to ask once more.
    return status >= 500 && (body === null || status === 503) ? 'lost' : { outcome: 'refused', body }
  }

  /** Asked again while it is not known there: the request itself may still be under way. */
  async #askToStop(): Promise<void> {
    while (!this.#over.signal.aborted) {
      try {
        // keepalive: a stop pressed just before leaving the page still reaches the server.
        const init = { method: 'DELETE', headers: headersOf(this.#input), keepalive: true }
        const response = await this.#world.fetch(IMAGES_PATH, init)
        const body = await readJson(response)
        this.#isStopConfirmed = response.ok && isObject(body) && body.stopped === true
        // Otherwise the picture was finished first: it is paid for, and about to arrive.
        if (this.#isStopConfirmed) this.#over.abort()
        if (response.ok) return
      } catch {
        // The grace time ends the attempts.
      }
      await this.#world.wait(BUSY_DELAY_MS, this.#over.signal)
    }
  }

  #show(phase: 'drawing' | 'reconnecting'): void {
    if (!this.#isStopping) this.#observer.onPhase(phase)
  }
}

function headersOf({ creditId, idempotencyKey }: DrawInput): Record<string, string> {
  return { authorization: `Bearer ${creditId}`, 'idempotency-key': idempotencyKey }
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json()
  } catch (error) {
    // A body that is no JSON, as opposed to one that was cut.
    if (error instanceof SyntaxError) return null
    throw error
  }
}
