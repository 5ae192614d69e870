/** Longer than a frame or two, and hardly noticed by anybody who waits. */
const PAUSE_MS = 50

/** Runs a task when the browser is idle, or after the timeout at the latest. Returns how to cancel it. */
export function whenIdle(task: () => void, timeoutMs: number): () => void {
  if (typeof requestIdleCallback === 'function') {
    const handle = requestIdleCallback(task, { timeout: timeoutMs })
    return () => cancelIdleCallback(handle)
  }
  // Safari has no idle callbacks. Tasks that follow each other leave room for the page's own work, too.
  const timer = setTimeout(task, PAUSE_MS)
  return () => clearTimeout(timer)
}
