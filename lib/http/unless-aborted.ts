/** What a promise comes to, or the reason of an abort that comes before. The work goes on either way. */
export function unlessAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal?.reason)
    signal?.addEventListener('abort', giveUp, { once: true })
    // One that outlives much work keeps nothing of it.
    promise.then(resolve, reject).finally(() => signal?.removeEventListener('abort', giveUp))
    // What is at hand needs no time: it comes before the end of none.
    if (signal?.aborted) setImmediate(giveUp)
  })
}
