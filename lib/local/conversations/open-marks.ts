const MARK_PREFIX = 'tuppence-open-conversation-'

/**
 * Which conversation this tab shows, told to the other tabs as a lock that the browser takes back when the
 * tab is gone, however it went.
 */
export function createOpenMark(): (id: string | null) => void {
  let letGo: (() => void) | null = null
  return id => {
    letGo?.()
    letGo = null
    if (id === null || typeof navigator === 'undefined' || !navigator.locks) return
    const held = new Promise<void>(resolve => {
      letGo = resolve
    })
    // Refused where storage is blocked; then there is nothing that another tab could move either.
    navigator.locks.request(`${MARK_PREFIX}${id}`, { mode: 'shared' }, () => held).catch(() => undefined)
  }
}

/** The conversations on the screens of all tabs; none in browsers without Web Locks. */
export async function markedOpenIds(): Promise<string[]> {
  if (typeof navigator === 'undefined' || !navigator.locks) return []
  const { held = [] } = await navigator.locks.query()
  return held.flatMap(({ name }) => (name?.startsWith(MARK_PREFIX) ? name.slice(MARK_PREFIX.length) : []))
}
