import 'server-only'
import { isLostConnection } from '@/lib/db/retry-lost-connection'

/** How long a statement may become: a batch's locks are held until all of it is done. */
const BATCH_SIZE_MAX = 32

interface Waiting<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

/**
 * Sends what was asked for at the same time as one statement. A call waits for as many turns of the event
 * loop as it is given (an idle process takes microseconds for each), so that what a burst of requests asks
 * for leaves together; what arrives while all `laneCount` lanes are busy leaves as soon as one is free. A
 * busy server so pays for a round trip and a commit once for many calls.
 *
 * Where a batch fails for any reason but an outage its items are asked for one by one, so that none
 * fails for another's sake.
 */
export class Batcher<Item, Result> {
  readonly #waiting: Waiting<Item, Result>[] = []
  readonly #laneCount: number
  readonly #turnCount: number
  readonly #ask: (items: readonly Item[]) => Promise<readonly Result[]>
  #busyCount = 0

  /** `ask` answers in the order of its items, and does no more when it is repeated. */
  constructor(input: {
    laneCount: number
    turnCount: number
    ask: (items: readonly Item[]) => Promise<readonly Result[]>
  }) {
    this.#laneCount = input.laneCount
    this.#turnCount = input.turnCount
    this.#ask = input.ask
  }

  run(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      afterTurns(this.#turnCount, () => this.#startLane())
    })
  }

  #startLane(): void {
    if (this.#busyCount >= this.#laneCount || this.#waiting.length === 0) return
    this.#busyCount += 1
    const batch = this.#waiting.splice(0, BATCH_SIZE_MAX)
    this.#send(batch).finally(() => {
      this.#busyCount -= 1
      this.#startLane()
    })
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
      if (batch.length > 1 && !isOutage(error)) {
        await Promise.all(batch.map(waiting => this.#send([waiting])))
      } else {
        for (const waiting of batch) waiting.reject(error)
      }
    }
  }
}

function afterTurns(turnCount: number, work: () => void): void {
  if (turnCount === 0) work()
  else setImmediate(() => afterTurns(turnCount - 1, work))
}

function isOutage(error: unknown): boolean {
  return isLostConnection(error) || isLostConnection((error as { cause?: unknown } | null)?.cause)
}
