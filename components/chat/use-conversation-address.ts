import { usePathname, useSelectedLayoutSegment } from 'next/navigation'
import { useEffect, useLayoutEffect, useRef } from 'react'
import { runningStore, useStore } from '@/components/ui/use-store'
import { chatAddress, conversationIdOf, isChatAddress, NEEDS_NETWORK } from '@/lib/i18n/chat-address'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { selectedConversationStore } from '@/lib/local/conversations/selected-conversation-store'
import type { Conversation } from '@/lib/local/domain/conversation'
import { settingsStore } from '@/lib/local/settings/settings-store'
import { createExternalStore } from '@/lib/local/storage/external-store'
import { draftStore, NEW_CHAT } from './draft-store'
import { beginVisit } from './select-conversation'

/** Whether the conversation in the address is shown, still being looked up, or not in this browser. */
export type AddressState = 'shown' | 'opening' | 'unknown'

/** A conversation in the address that is not in local storage. */
const absentStore = createExternalStore<{ id: string; isUnknown: boolean } | null>(null)

const selectedIdStore = {
  subscribe: selectedConversationStore.subscribe,
  getSnapshot: selectedConversationStore.selectedId,
  getServerSnapshot: () => null,
}

/**
 * Keeps the address and the selected conversation in step. On arrival at an address (a link, a new tab, back and
 * forward, a reload) its conversation is selected. Otherwise the address follows the selection without a request, so
 * that nothing on the screen restarts, and the server does not learn who reads what.
 */
export function useConversationAddress(): AddressState {
  const pathname = usePathname()
  const selectedId = useStore(selectedIdStore)
  const absent = useStore(absentStore)
  // The server knows no conversations.
  const isRunning = useStore(runningStore)
  // What the server was asked for. Offline it is always the page of a new chat, whatever the address.
  const wasAddressed = useSelectedLayoutSegment() === 'c'
  const seen = useRef<string | null>(null)

  // Before the first paint, so that another conversation is never visible.
  useLayoutEffect(() => {
    if (seen.current === pathname) return
    const isArrival = seen.current === null
    seen.current = pathname
    const id = conversationIdOf(window.location.pathname)
    if (absentStore.getSnapshot()?.id !== id) absentStore.set(null)
    if (id !== null) showAddressed(id)
    else if (isArrival) begin()
    else if (selectedConversationStore.selectedId() !== null) selectedConversationStore.select(null)
  }, [pathname])

  // biome-ignore lint/correctness/useExhaustiveDependencies: the address follows every change of the selection
  useEffect(() => {
    // The router tracks address changes only from the end of its own first effects on.
    queueMicrotask(followSelection)
  }, [selectedId])

  if (!isRunning) return wasAddressed ? 'opening' : 'shown'
  if (absent === null || selectedId !== null) return 'shown'
  return absent.isUnknown ? 'unknown' : 'opening'
}

function showAddressed(id: string): void {
  beginVisit()
  if (selectedConversationStore.selectedId() === id) return
  if (conversationStore.get(id)) {
    absentStore.set(null)
    selectedConversationStore.select(id)
    return
  }
  absentStore.set({ id, isUnknown: false })
  selectedConversationStore.select(null)
  void findArchived(id).then(found => {
    // The person has gone on meanwhile.
    if (absentStore.getSnapshot()?.id !== id || selectedConversationStore.selectedId() !== null) return
    if (found) selectedConversationStore.select(id)
    absentStore.set(found ? null : { id, isUnknown: true })
  })
}

/** A conversation in an archive that cannot be read counts as not found. */
async function findArchived(id: string): Promise<Conversation | null> {
  try {
    const { historyStore } = await import('@/lib/local/archive/history-store')
    await historyStore.load()
    return await historyStore.open(id)
  } catch {
    return null
  }
}

function followSelection(): void {
  const { pathname, search } = window.location
  const id = selectedConversationStore.selectedId()
  if (!isChatAddress(pathname) || conversationIdOf(pathname) === id) return
  if (id === null && absentStore.getSnapshot() !== null) return
  window.history.replaceState(null, '', chatAddress(pathname, id) + search)
}

/** Precedes text that another app has shared in the address; see the service worker. */
const SHARED = 'share='

/**
 * At the address of a new chat: begins with text that another app shares; otherwise, unless the settings say that a
 * visit begins with a new chat, with the conversation that this tab or the last visit showed.
 */
function begin(): void {
  const isFirst = beginVisit()
  const hash = window.location.hash.slice(1)
  if (isFirst && hash.startsWith(SHARED)) {
    removeHash()
    const draft = draftStore.get(NEW_CHAT)
    // Any page can link here, so the existing draft is kept.
    const text = [draft.text, decodeText(hash.slice(SHARED.length))].filter(Boolean).join('\n\n')
    draftStore.set(NEW_CHAT, { ...draft, text })
    selectedConversationStore.select(null)
  } else if (isFirst && hash !== '' && window.location.hash !== NEEDS_NETWORK) {
    // The form in which conversations were addressed by earlier versions.
    removeHash()
    showAddressed(hash)
  } else if (isFirst && !settingsStore.getSnapshot().settings.showNewChatOnStartup) {
    if (selectedConversationStore.selectedId() !== null) return
    const last = selectedConversationStore.lastSelected()
    if (last) selectedConversationStore.select(last.id)
  }
}

function removeHash(): void {
  window.history.replaceState(window.history.state, '', window.location.pathname + window.location.search)
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
