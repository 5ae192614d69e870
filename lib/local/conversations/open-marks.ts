import { heldMarks, holdMark } from '../storage/locks'

const MARK_PREFIX = 'tuppence-open-conversation-'

/** Tells the other tabs which conversation this one shows. */
export function createOpenMark(): (id: string | null) => void {
  let letGo: (() => void) | null = null
  return id => {
    letGo?.()
    letGo = id === null ? null : holdMark(`${MARK_PREFIX}${id}`).letGo
  }
}

/** The conversations on the screens of all tabs; none in browsers without Web Locks. */
export const markedOpenIds = (): Promise<string[]> => heldMarks(MARK_PREFIX)
