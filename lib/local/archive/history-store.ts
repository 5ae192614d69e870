import { conversationStore } from '../conversations/conversation-store'
import { connectArchive, conversations } from '../conversations/conversations'
import { areConversationsTooLarge } from '../conversations/is-too-large'
import { markedOpenIds } from '../conversations/open-marks'
import { selectedConversationStore } from '../conversations/selected-conversation-store'
import { archiveExists } from '../database/database-names'
import { openedOnce } from '../database/opened-once'
import { guardedStorage } from '../storage/guarded-storage'
import { withLock } from '../storage/locks'
import { REMOVED_CONVERSATIONS_KEY } from '../storage/storage-keys'
import { createArchive } from './archive'
import { openArchiveDatabase } from './archive-database'
import { createHistoryStore } from './create-history-store'

const LOCK_NAME = 'tuppence-archive'

/** This browser's archive; opened, along with loading Dexie, by the first call that needs it. */
export const archive = createArchive(openedOnce(openArchiveDatabase))

/** Every conversation of this browser, wherever it is stored. */
export const historyStore = createHistoryStore({
  store: conversationStore,
  repository: conversations,
  archive,
  archiveExists,
  areConversationsTooLarge: () => areConversationsTooLarge(guardedStorage),
  openIds: async () => {
    const own = selectedConversationStore.selectedId()
    return new Set([...(await markedOpenIds()), ...(own === null ? [] : [own])])
  },
  runExclusively: task => withLock(LOCK_NAME, task),
})

/** Nobody awaits these: failures are reported like uncaught errors, and the next call tries again. */
const reportFailure = (error: unknown): void => reportError(error)

connectArchive({
  overflowed: conversation => historyStore.overflowed(conversation).catch(reportFailure),
  deleted: id => void historyStore.deleted(id).catch(reportFailure),
})

guardedStorage.subscribe(key => {
  // Another tab has moved conversations to the archive, or deleted some.
  if (key === REMOVED_CONVERSATIONS_KEY) void historyStore.load().catch(reportFailure)
})
