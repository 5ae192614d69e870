/** Runs a task once the browser has a moment, or after so long at the latest. Returns how to cancel. */
export function whenIdle(task: () => void, timeoutMs: number): () => void {
  if (typeof requestIdleCallback === 'function') {
    const handle = requestIdleCallback(task, { timeout: timeoutMs })
    return () => cancelIdleCallback(handle)
  }
  // Safari does not tell.
  const timer = setTimeout(task, 0)
  return () => clearTimeout(timer)
}
