/**
 * Runs the task while no other tab runs one under the same name. Browsers without Web Locks, and those
 * that refuse them together with storage, run it at once: every task under a lock also re-reads before it
 * writes, the lock only closes the gap between.
 */
export async function withLock<Result>(name: string, task: () => Promise<Result>): Promise<Result> {
  if (typeof navigator === 'undefined' || !navigator.locks) return task()
  let hasStarted = false
  try {
    return await navigator.locks.request(name, () => {
      hasStarted = true
      return task()
    })
  } catch (error) {
    if (hasStarted) throw error
    return task()
  }
}
