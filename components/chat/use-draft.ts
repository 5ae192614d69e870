import { useCallback, useLayoutEffect, useRef } from 'react'
import { useStore } from '@/components/ui/use-store'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { selectedConversationStore } from '@/lib/local/conversations/selected-conversation-store'
import { type Draft, draftStore, EMPTY_DRAFT, NEW_CHAT } from './draft-store'

/** The draft of a conversation (null for a new chat), and its setter. */
export function useDraft(conversationId: string | null): [Draft, (draft: Draft) => void] {
  const id = conversationId ?? NEW_CHAT
  const draft = useStore({
    subscribe: draftStore.subscribe,
    getSnapshot: () => draftStore.get(id),
    getServerSnapshot: () => EMPTY_DRAFT,
  })
  const setDraft = useCallback((next: Draft) => draftStore.set(id, next), [id])
  useDraftOfDeleted(conversationId)
  return [draft, setDraft]
}

/** Whoever is writing in a conversation that another tab deletes goes on in a new chat. */
function useDraftOfDeleted(conversationId: string | null): void {
  const seenId = useRef<string | null>(null)
  // Before the first paint, so that the text is not gone for a moment.
  useLayoutEffect(() => {
    const id = seenId.current
    seenId.current = conversationId
    if (conversationId !== null || id === null || conversationStore.get(id)) return
    const draft = draftStore.get(id)
    // Undoing the deletion in this tab brings the draft back with its conversation.
    if (draft === EMPTY_DRAFT || conversationStore.isDeletedHere(id)) return
    draftStore.set(id, EMPTY_DRAFT)
    draftStore.giveBack(NEW_CHAT, draft)
    // Undoing it in the other tab must not take the draft out of sight again.
    selectedConversationStore.select(null)
  }, [conversationId])
}
