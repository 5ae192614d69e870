import { useCallback } from 'react'
import { useStore } from '@/components/ui/use-store'
import { type Draft, draftStore, EMPTY_DRAFT, NEW_CHAT } from './draft-store'

/** The draft of a conversation (null: a new chat) and how to change it. */
export function useDraft(conversationId: string | null): [Draft, (draft: Draft) => void] {
  const id = conversationId ?? NEW_CHAT
  const draft = useStore({
    subscribe: draftStore.subscribe,
    getSnapshot: () => draftStore.get(id),
    getServerSnapshot: () => EMPTY_DRAFT,
  })
  const setDraft = useCallback((next: Draft) => draftStore.set(id, next), [id])
  return [draft, setDraft]
}
