import { useEffect } from 'react'
import { useStore } from '@/components/ui/use-store'
import { selectedConversationStore } from '@/lib/local/conversations/selected-conversation-store'
import { allMessages } from '@/lib/local/domain/turns'
import { settingsStore } from '@/lib/local/settings/settings-store'
import { browserExchanges } from './browser-exchanges'
import { draftStore, NEW_CHAT } from './draft-store'
import { beginVisit, openConversation } from './select-conversation'

/** Continues where one was, if the settings say so, and fetches the rest of every unfinished answer. */
export function useStartUp(): void {
  const conversation = useStore(selectedConversationStore)

  useEffect(() => {
    if (beginVisit()) continueLastConversation()
    void browserExchanges.resumeAll()
  }, [])

  useEffect(() => {
    for (const { id, status } of conversation ? allMessages(conversation) : []) {
      if (conversation && id !== undefined && status === 'streaming') {
        void browserExchanges.closeOrphan(conversation.id, id)
      }
    }
  }, [conversation])
}

/** How an address goes on with what another app has shared; see the service worker. */
const SHARED = 'share='

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

/** An address that ends in a conversation's id opens it: from the list, in a tab of its own. */
function continueLastConversation(): void {
  const id = window.location.hash.slice(1)
  if (id.startsWith(SHARED)) {
    window.history.replaceState(window.history.state, '', window.location.pathname)
    const shared = decodeText(id.slice(SHARED.length))
    const draft = draftStore.get(NEW_CHAT)
    // Any page can lead here: what was being written stays.
    const text = [draft.text, shared].filter(Boolean).join('\n\n')
    draftStore.set(NEW_CHAT, { ...draft, text })
    selectedConversationStore.select(null)
    return
  }
  if (id !== '') {
    window.history.replaceState(window.history.state, '', window.location.pathname + window.location.search)
    void openConversation(id)
    return
  }
  const { showNewChatOnStartup } = settingsStore.getSnapshot().settings
  if (showNewChatOnStartup || selectedConversationStore.selectedId() !== null) return
  const last = selectedConversationStore.lastSelected()
  if (last) selectedConversationStore.select(last.id)
}
