import 'server-only'

/** What a promise comes to, or null when it takes longer. It goes on either way. */
export function within<Value>(timeMs: number, work: Promise<Value>): Promise<Value | null> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(null), timeMs)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
