import 'server-only'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { isOutage } from '@/lib/db/retry-lost-connection'

/** How many items one statement may have. Its locks are held until all of them are done. */
const BATCH_SIZE_MAX = 32

interface Waiting<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

/**
 * Combines calls that are made at the same time into one statement, so that a busy server pays for one round trip and
 * one commit for many calls. A call waits for one turn of the event loop (microseconds in an idle process), so that a
 * burst of requests is sent together. Calls that arrive while a statement runs are sent after it. A further statement
 * runs beside it, in another lane, if a full batch is waiting, or if a call has waited for longer than `patienceMs`.
 * Results are handed out once the next statement has left: what a batch of callers does with theirs takes this process
 * about as long as the database takes for a statement, and neither should wait for the other.
 *
 * If a batch fails for any reason but an outage, its items are sent one by one, so that no call fails because of
 * another one.
 */
export class Batcher<Item, Result> {
  readonly #waiting: Waiting<Item, Result>[] = []
  readonly #laneCountMax: number
  readonly #patienceMs: number
  readonly #ask: (items: readonly Item[]) => Promise<readonly Result[]>
  #busyCount = 0
  #patience: NodeJS.Timeout | undefined

  /** `ask` returns its results in the order of its items, and has no further effect when it is repeated. */
  constructor(input: {
    laneCountMax: number
    /** A call that has waited for longer than this opens another lane. */
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
    if (this.#waiting.length === 0) return
    if (this.#busyCount === 0 || this.#waiting.length >= BATCH_SIZE_MAX) this.#startLane()
    else this.#patience ??= setTimeout(() => this.#startLane(), this.#patienceMs)
  }

  #startLane(): void {
    if (this.#busyCount < this.#laneCountMax) void this.#runLane()
  }

  async #runLane(): Promise<void> {
    this.#busyCount += 1
    let handOut = () => {}
    while (this.#waiting.length > 0) {
      clearTimeout(this.#patience)
      this.#patience = undefined
      const batch = this.#waiting.splice(0, BATCH_SIZE_MAX)
      const answered = this.#send(batch)
      await nextTurn()
      handOut()
      handOut = await answered
    }
    this.#busyCount -= 1
    handOut()
  }

  /** @returns a function that hands out the results */
  async #send(batch: readonly Waiting<Item, Result>[]): Promise<() => void> {
    try {
      const results = await this.#ask(batch.map(waiting => waiting.item))
      const answered = batch.map((waiting, index) => ({ ...waiting, result: results[index] }))
      return () => {
        for (const { result, resolve, reject } of answered) {
          if (result === undefined) reject(new Error('The batch was answered incompletely.'))
          else resolve(result)
        }
      }
    } catch (error) {
      if (batch.length > 1 && !isOfOutage(error)) {
        await Promise.all(batch.map(waiting => this.#send([waiting]).then(handOut => handOut())))
        return () => {}
      }
      return () => {
        for (const waiting of batch) waiting.reject(error)
      }
    }
  }
}

function isOfOutage(error: unknown): boolean {
  return isOutage(error) || isOutage((error as { cause?: unknown } | null)?.cause)
}
