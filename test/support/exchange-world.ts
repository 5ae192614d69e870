import type { ExchangeWorld } from '@/lib/exchange/client/page-world'

/** A clock that tests advance, and a page that they wake. */
export class TestWorld {
  nowMs = 1_000_000_000_000
  isOnline = true
  giveWay = async () => {}
  readonly #sleepers = new Set<{ atMs: number; finish: () => void }>()
  readonly #wakeListeners = new Set<() => void>()
  readonly #offlineListeners = new Set<() => void>()

  /** The world of one page; pages of one browser share the clock. */
  of(fetch: ExchangeWorld['fetch']): ExchangeWorld {
    return {
      fetch,
      now: () => this.nowMs,
      isOnline: () => this.isOnline,
      wait: (milliseconds, signal) => this.#wait(milliseconds, signal),
      readyForMore: async () => {},
      giveWay: () => this.giveWay(),
      onWake: listener => {
        this.#wakeListeners.add(listener)
        return () => this.#wakeListeners.delete(listener)
      },
      onOffline: listener => {
        this.#offlineListeners.add(listener)
        return () => this.#offlineListeners.delete(listener)
      },
    }
  }

  wake(): void {
    for (const listener of [...this.#wakeListeners]) listener()
  }

  goOffline(): void {
    this.isOnline = false
    for (const listener of [...this.#offlineListeners]) listener()
  }

  pass(milliseconds: number): void {
    this.nowMs += milliseconds
    for (const sleeper of [...this.#sleepers]) if (sleeper.atMs <= this.nowMs) sleeper.finish()
  }

  #wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      if (signal.aborted) return resolve()
      const sleeper = {
        atMs: this.nowMs + milliseconds,
        finish: () => {
          this.#sleepers.delete(sleeper)
          resolve()
        },
      }
      this.#sleepers.add(sleeper)
      signal.addEventListener('abort', sleeper.finish)
    })
  }
}

/** Runs everything that can run by itself, until `isDone`. */
export async function until(isDone: () => boolean): Promise<void> {
  for (let turn = 0; turn < 200_000 && !isDone(); turn += 1) await new Promise(setImmediate)
  if (!isDone()) throw new Error('the condition never came true')
}

/** Runs what can run by itself for a moment. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate)
}
