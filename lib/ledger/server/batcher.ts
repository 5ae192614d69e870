import 'server-only'
import { isOutage } from '@/lib/db/retry-lost-connection'

/** How long a statement may become: a batch's locks are held until all of it is done. */
const BATCH_SIZE_MAX = 32

interface Waiting<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

/**
 * Sends what was asked for at the same time as one statement. A call waits for a turn of the event loop (an
 * idle process takes microseconds for it), so that what a burst of requests asks for leaves together; what
 * arrives while a statement runs leaves when that is answered, so that a busy server pays for a round trip and
 * a commit once for many calls. Another lane opens beside it where a whole batch waits, or has waited for long.
 *
 * Where a batch fails for any reason but an outage its items are asked for one by one, so that none
 * fails for another's sake.
 */
export class Batcher<Item, Result> {
  readonly #waiting: Waiting<Item, Result>[] = []
  readonly #laneCountMax: number
  readonly #patienceMs: number
  readonly #ask: (items: readonly Item[]) => Promise<readonly Result[]>
  #busyCount = 0
  #patience: NodeJS.Timeout | null = null

  /** `ask` answers in the order of its items, and does no more when it is repeated. */
  constructor(input: {
    laneCountMax: number
    /** What has waited for longer opens another lane. */
    patienceMs: number
    ask: (items: readonly Item[]) => Promise<readonly Result[]>
  }) {
    this.#laneCountMax = input.laneCountMax
    this.#patienceMs = input.patienceMs
    this.#ask = input.ask
  }

  run(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      setImmediate(() => this.#join())
    })
  }

  #join(): void {
    if (this.#busyCount === 0 || this.#waiting.length >= BATCH_SIZE_MAX) this.#startLane()
    else this.#patience ??= setTimeout(() => this.#startLane(), this.#patienceMs)
  }

  #startLane(): void {
    if (this.#patience) clearTimeout(this.#patience)
    this.#patience = null
    if (this.#busyCount >= this.#laneCountMax || this.#waiting.length === 0) return
    this.#busyCount += 1
    const batch = this.#waiting.splice(0, BATCH_SIZE_MAX)
    this.#send(batch).finally(() => {
      this.#busyCount -= 1
      this.#startLane()
    })
    if (this.#waiting.length > 0) this.#join()
  }

  async #send(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#ask(batch.map(waiting => waiting.item))
      for (const [index, waiting] of batch.entries()) {
        const result = results[index]
        if (result === undefined) waiting.reject(new Error('The batch was answered incompletely.'))
        else waiting.resolve(result)
      }
    } catch (error) {
      if (batch.length > 1 && !isOfOutage(error)) {
        await Promise.all(batch.map(waiting => this.#send([waiting])))
      } else {
        for (const waiting of batch) waiting.reject(error)
      }
    }
  }
}

function isOfOutage(error: unknown): boolean {
  return isOutage(error) || isOutage((error as { cause?: unknown } | null)?.cause)
}
