import { heldMarks, holdMark } from '../storage/locks'

const MARK_PREFIX = 'tuppence-open-conversation-'

/** Shows the other tabs which conversation this one displays. */
export function createOpenMark(): (id: string | null) => void {
  let release: (() => void) | null = null
  return id => {
    release?.()
    release = id === null ? null : holdMark(`${MARK_PREFIX}${id}`).release
  }
}

/** The conversations shown in all tabs; none in browsers without Web Locks. */
export const markedOpenIds = (): Promise<string[]> => heldMarks(MARK_PREFIX)
