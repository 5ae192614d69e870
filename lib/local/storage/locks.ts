/**
 * Runs the task while no other tab runs one with the same name. Browsers without Web Locks, or that refuse them
 * together with storage, run it at once: every task under a lock also reads again before it writes, and the lock only
 * closes the gap in between.
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
 * Shows something to every tab by a lock, which the browser releases when this tab is gone, for whatever reason. Local
 * storage reaches other processes with a delay; this is visible to all as soon as `held` resolves.
 */
export function holdMark(name: string): { held: Promise<void>; release: () => void } {
  if (typeof navigator === 'undefined' || !navigator.locks) {
    return { held: Promise.resolve(), release: () => undefined }
  }
  let release: () => void = () => undefined
  const released = new Promise<void>(resolve => {
    release = resolve
  })
  const held = new Promise<void>(resolve => {
    const hold = () => {
      resolve()
      return released
    }
    // Refused if storage is blocked; then there is nothing to show either.
    navigator.locks.request(name, { mode: 'shared' }, hold).catch(() => resolve())
  })
  return { held, release }
}

/** The rest of the names of all tabs' marks with this prefix; none in browsers without Web Locks. */
export async function heldMarks(prefix: string): Promise<string[]> {
  if (typeof navigator === 'undefined' || !navigator.locks) return []
  const { held = [] } = await navigator.locks.query()
  return held.flatMap(({ name }) => (name?.startsWith(prefix) ? name.slice(prefix.length) : []))
}
