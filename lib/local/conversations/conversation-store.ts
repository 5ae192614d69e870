import type { Conversation } from '../domain/conversation'
import type { ExternalStore } from '../storage/external-store'
import { isKept } from '../storage/write-failures'
import type { ConversationRepository } from './conversation-repository'
import { conversations, notifyArchiveDeleted } from './conversations'
import { createSaveScheduler, type SaveScheduler } from './save-scheduler'
import { type SelectedConversationStore, selectedConversationStore } from './selected-conversation-store'

/** How many deletions can be undone, one after the other. */
const UNDO_COUNT_MAX = 20
const NOTHING: readonly Conversation[] = []

/** The conversations in local storage, newest first. Every write sets `updated_at`. */
export interface ConversationStore extends ExternalStore<readonly Conversation[]> {
  get(id: string): Conversation | null
  /** Whether that message, or its conversation, was removed, here or in another tab, rather than merely moved. */
  isRemoved(id: string, messageId: string): boolean
  /**
   * Returns false if local storage is full; the conversation then stays in memory and goes to the archive. Also false
   * if the browser refuses the write, which the person is told; then it stays in memory until the page is left. With
   * `base`, everything that is missing compared to it counts as removed.
   */
  saveConversation(conversation: Conversation, base?: Conversation): boolean
  /** Does nothing if the conversation was deleted meanwhile: that was intended. */
  change(id: string, edit: (conversation: Conversation) => Conversation): boolean
  /** For every change while an answer streams in; written in idle time and when the page is left. */
  scheduleSave: SaveScheduler['schedule']
  flushScheduledSaves(): void
  renameConversation(id: string, title: string): boolean
  deleteConversation(id: string): boolean
  /** Makes it possible to restore a conversation that was only deleted from the archive. */
  rememberDeleted(conversation: Conversation): void
  /** Whether this tab has deleted it, and can restore it. */
  isDeletedHere(id: string): boolean
  /** Restores the conversation that was deleted last; null if there is none. */
  undoDelete(): Conversation | null
}

export function createConversationStore(
  repository: ConversationRepository,
  selection: SelectedConversationStore,
  onDeleted: (id: string) => void,
  createScheduler: (save: (conversation: Conversation) => void) => SaveScheduler = createSaveScheduler,
): ConversationStore {
  const deleted: Conversation[] = []
  const isSelected = (id: string): boolean => selection.selectedId() === id
  const scheduler = createScheduler(conversation =>
    isKept(() => repository.saveDraft(conversation, isSelected(conversation.id))),
  )

  function rememberDeleted(conversation: Conversation): void {
    deleted.push(conversation)
    deleted.splice(0, deleted.length - UNDO_COUNT_MAX)
  }

  function saveConversation(conversation: Conversation, base?: Conversation): boolean {
    scheduler.cancel(conversation.id)
    return isKept(() => repository.save(conversation, isSelected(conversation.id), base))
  }

  function change(id: string, edit: (conversation: Conversation) => Conversation): boolean {
    const conversation = repository.get(id)
    return conversation !== null && saveConversation(edit(conversation), conversation)
  }

  return {
    subscribe: repository.subscribe,
    getSnapshot: repository.snapshot,
    getServerSnapshot: () => NOTHING,
    get: repository.get,
    isRemoved: repository.isRemoved,
    saveConversation,
    change,
    scheduleSave: scheduler.schedule,
    flushScheduledSaves() {
      scheduler.flush()
      if (repository.isListBehind()) isKept(repository.listSelected)
    },
    renameConversation(id, title) {
      scheduler.flush()
      return change(id, conversation => ({ ...conversation, title }))
    },
    deleteConversation(id) {
      scheduler.flush()
      const conversation = repository.get(id)
      if (!conversation) return false
      rememberDeleted(conversation)
      onDeleted(id)
      return isKept(() => repository.remove([id]))
    },
    rememberDeleted,
    isDeletedHere: id => deleted.some(conversation => conversation.id === id),
    undoDelete() {
      const conversation = deleted.pop()
      if (!conversation) return null
      isKept(() => repository.restore([conversation]))
      return conversation
    },
  }
}

export const conversationStore = createConversationStore(
  conversations,
  selectedConversationStore,
  notifyArchiveDeleted,
)

if (typeof window !== 'undefined') {
  // The last moments at which a page can write: when it is hidden, or left for good.
  window.addEventListener('pagehide', conversationStore.flushScheduledSaves)
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') conversationStore.flushScheduledSaves()
  })
  // A page that the browser froze and shows again has missed what other tabs wrote or deleted.
  window.addEventListener('pageshow', event => {
    if (event.persisted) window.location.reload()
  })
}
