/** The value of a promise, or null if it takes longer. The work goes on either way. */
export function within<Value>(timeMs: number, work: Promise<Value>): Promise<Value | null> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(null), timeMs)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
