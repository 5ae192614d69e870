import type { Conversation } from '../domain/conversation'
import { guardedStorage } from '../storage/guarded-storage'
import { withLock } from '../storage/locks'
import { isKept } from '../storage/write-failures'
import { whenIdle } from '../when-idle'
import { createConversationRepository } from './conversation-repository'

const LOCK_NAME = 'tuppence-conversations'
/** Writing a list of megabytes takes longer than a frame. */
const IDLE_TIMEOUT_MS = 300

/** What the archive does when something happens to a conversation; it connects itself when it is loaded. */
interface ArchiveLink {
  /** Takes a conversation for which local storage has no room; ends once it has it, or has said that it could not. */
  overflowed(conversation: Conversation): Promise<void>
  /** Forgets its copy of a deleted conversation. */
  deleted(id: string): void
}

let link: ArchiveLink | null = null
let archiving = Promise.resolve()

export function connectArchive(next: ArchiveLink): void {
  link = next
}

export function tellArchiveDeleted(id: string): void {
  link?.deleted(id)
}

/** Until the archive has what was on its way to it. */
export function untilArchived(): Promise<void> {
  return archiving
}

/** This browser's conversations; the stores beside this file are its public face. */
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
