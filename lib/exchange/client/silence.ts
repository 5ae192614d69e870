import type { ExchangeWorld } from './page-world'

/** After this long a silence, a page that wakes up no longer trusts its connection. */
const STALE_AFTER_MS = 4_000
/** What the slowest mobile network takes of a request; nothing comes back before it has all of it. */
const UPLOAD_BYTES_PER_MS = 4

/** How long nothing has been heard on an exchange's connection. */
export class Silence {
  #sinceMs = 0
  readonly #world: Pick<ExchangeWorld, 'now' | 'wait'>
  readonly #msMax: number

  /** @param msMax after which a connection is dead, even if nothing says so */
  constructor(world: Pick<ExchangeWorld, 'now' | 'wait'>, msMax: number) {
    this.#world = world
    this.#msMax = msMax
  }

  get isStale(): boolean {
    return this.#world.now() - this.#sinceMs > STALE_AFTER_MS
  }

  /** Something was heard, or a connection begins. */
  endNow(): void {
    this.#sinceMs = this.#world.now()
  }

  /** A request is being sent, which a slow network takes its time over. */
  allowSending(byteCount: number): void {
    this.#sinceMs = this.#world.now() + byteCount / UPLOAD_BYTES_PER_MS
  }

  /** A connection can be dead without any sign of it, as long as its network or a proxy still seems to be there. */
  async cutOff(attempt: AbortController, over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      const restMs = this.#sinceMs + this.#msMax - this.#world.now()
      if (restMs <= 0) return attempt.abort()
      // In parts, since the clock may be set back.
      await this.#world.wait(Math.min(restMs, this.#msMax), over)
    }
  }
}
