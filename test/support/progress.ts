/**
 * Counts work as it is done, and signals when a certain amount is: a point in the work rather than in time, whatever
 * the machine's speed.
 */
export function createProgress(): { step(): void; reached(count: number): Promise<void> } {
  let done = 0
  const waiting = new Map<number, () => void>()
  return {
    step() {
      done += 1
      waiting.get(done)?.()
    },
    /** Resolves at once if that much was already done. */
    reached: count =>
      new Promise(resolve => {
        if (done >= count) resolve()
        else waiting.set(count, resolve)
      }),
  }
}
