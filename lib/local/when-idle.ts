/** Runs a task when the browser is idle, or after the timeout at the latest. Returns how to cancel it. */
export function whenIdle(task: () => void, timeoutMs: number): () => void {
  if (typeof requestIdleCallback === 'function') {
    const handle = requestIdleCallback(task, { timeout: timeoutMs })
    return () => cancelIdleCallback(handle)
  }
  // Safari has no idle callbacks.
  const timer = setTimeout(task, 0)
  return () => clearTimeout(timer)
}
