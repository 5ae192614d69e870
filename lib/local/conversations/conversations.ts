import type { Conversation } from '../domain/conversation'
import { guardedStorage } from '../storage/guarded-storage'
import { withLock } from '../storage/locks'
import { isKept } from '../storage/write-failures'
import { whenIdle } from '../when-idle'
import { createConversationRepository } from './conversation-repository'

const LOCK_NAME = 'tuppence-conversations'
/** Writing a list of megabytes takes longer than a frame. */
const IDLE_TIMEOUT_MS = 300

/** How the archive reacts to events of conversations; it registers itself when it is loaded. */
interface ArchiveLink {
  /** Takes a conversation for which local storage has no room; resolves once it is stored, or reported as not. */
  overflowed(conversation: Conversation): Promise<void>
  /** Deletes its copy of a deleted conversation. */
  deleted(id: string): void
}

let link: ArchiveLink | null = null
let archiving = Promise.resolve()

export function connectArchive(next: ArchiveLink): void {
  link = next
}

export function notifyArchiveDeleted(id: string): void {
  link?.deleted(id)
}

/** Resolves when everything on its way to the archive has arrived. */
export function untilArchived(): Promise<void> {
  return archiving
}

/** This browser's conversations; other code uses the stores beside this file. */
export const conversations = createConversationRepository({
  storage: guardedStorage,
  now: () => new Date(),
  runExclusively: task => {
    whenIdle(() => void withLock(LOCK_NAME, async () => isKept(task)), IDLE_TIMEOUT_MS)
  },
  onOverflow: conversation => {
    archiving = Promise.all([archiving, link?.overflowed(conversation)]).then(() => {})
  },
})

guardedStorage.subscribe(conversations.onOtherTab)
