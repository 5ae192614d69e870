/** Counts work as it is done, and tells when so much of it is: a point of the work, whatever the machine's speed. */
export function createProgress(): { step(): void; reached(count: number): Promise<void> } {
  let done = 0
  const waiting = new Map<number, () => void>()
  return {
    step() {
      done += 1
      waiting.get(done)?.()
    },
    /** At once when there was more already. */
    reached: count =>
      new Promise(resolve => {
        if (done >= count) resolve()
        else waiting.set(count, resolve)
      }),
  }
}
