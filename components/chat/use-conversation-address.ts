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

/** Whether what the address names is on the screen, still being looked for, or nowhere in this browser. */
export type AddressState = 'shown' | 'opening' | 'unknown'

/** A conversation that an address names and local storage lacks. */
const absentStore = createExternalStore<{ id: string; isUnknown: boolean } | null>(null)

const selectedIdStore = {
  subscribe: selectedConversationStore.subscribe,
  getSnapshot: selectedConversationStore.selectedId,
  getServerSnapshot: () => null,
}

/**
 * Keeps the address and the selected conversation together. Whoever comes by an address (a link, a new tab,
 * back and forward, a reload) gets what it names. Otherwise the address follows what is selected, without a
 * request: nothing on the screen begins anew, and the server is not told who reads what.
 */
export function useConversationAddress(): AddressState {
  const pathname = usePathname()
  const selectedId = useStore(selectedIdStore)
  const absent = useStore(absentStore)
  // The server knows no conversation.
  const isRunning = useStore(runningStore)
  // What the server was asked for. Without a network it is the page of a new chat, at whatever address.
  const wasAddressed = useSelectedLayoutSegment() === 'c'
  const seen = useRef<string | null>(null)

  // Before anything is painted: another conversation must not be seen on the way.
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

  // biome-ignore lint/correctness/useExhaustiveDependencies: the address follows whenever another one is selected
  useEffect(() => {
    // The router takes note of a new address from the end of its own first effects on.
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
    // Somebody has gone on meanwhile.
    if (absentStore.getSnapshot()?.id !== id || selectedConversationStore.selectedId() !== null) return
    if (found) selectedConversationStore.select(id)
    absentStore.set(found ? null : { id, isUnknown: true })
  })
}

/** An archive that cannot be read holds nothing that could be shown. */
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

/** How an address goes on with what another app has shared; see the service worker. */
const SHARED = 'share='

/** At the address of a new chat: what another app shares, what this tab showed, or where one was, if the settings say so. */
function begin(): void {
  const isFirst = beginVisit()
  const hash = window.location.hash.slice(1)
  if (isFirst && hash.startsWith(SHARED)) {
    removeHash()
    const draft = draftStore.get(NEW_CHAT)
    // Any page can lead here: what was being written stays.
    const text = [draft.text, decodeText(hash.slice(SHARED.length))].filter(Boolean).join('\n\n')
    draftStore.set(NEW_CHAT, { ...draft, text })
    selectedConversationStore.select(null)
  } else if (isFirst && hash !== '' && window.location.hash !== NEEDS_NETWORK) {
    // As conversations were addressed before they had addresses of their own.
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
