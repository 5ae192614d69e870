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

/**
 * Tells every tab something, as a lock that the browser takes back when this one is gone, however it went.
 * Local storage tells another process some time later; this is seen by all as soon as `told` resolves.
 */
export function holdMark(name: string): { told: Promise<void>; letGo: () => void } {
  if (typeof navigator === 'undefined' || !navigator.locks) {
    return { told: Promise.resolve(), letGo: () => undefined }
  }
  let letGo: () => void = () => undefined
  const held = new Promise<void>(resolve => {
    letGo = resolve
  })
  const told = new Promise<void>(resolve => {
    const hold = () => {
      resolve()
      return held
    }
    // Refused where storage is blocked; then there is nothing to tell about either.
    navigator.locks.request(name, { mode: 'shared' }, hold).catch(() => resolve())
  })
  return { told, letGo }
}

/** How the names of the marks go on that begin so, those of all tabs; none in browsers without Web Locks. */
export async function heldMarks(prefix: string): Promise<string[]> {
  if (typeof navigator === 'undefined' || !navigator.locks) return []
  const { held = [] } = await navigator.locks.query()
  return held.flatMap(({ name }) => (name?.startsWith(prefix) ? name.slice(prefix.length) : []))
}
