import 'server-only'

/** The value of a promise, or null if it takes longer. The work goes on either way. */
export function within<Value>(timeMs: number, work: Promise<Value>): Promise<Value | null> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(null), timeMs)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/** What a promise comes to, or the reason of an abort that comes before. It goes on either way. */
export function unlessAborted<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
