import type { Conversation } from '../domain/conversation'
import { createListeners, type ExternalStore, subscribeToBoth } from '../storage/external-store'
import { openArea, type StorageArea } from '../storage/storage-area'
import { TAB_SELECTION_KEY } from '../storage/storage-keys'
import { isKept } from '../storage/write-failures'
import type { ConversationRepository } from './conversation-repository'
import { conversations } from './conversations'
import { createOpenMark } from './open-marks'

export interface SelectedConversationStore extends ExternalStore<Conversation | null> {
  /** Null means a new chat. Returns false if local storage had no room for the copy; it is selected all the same. */
  select(id: string | null): boolean
  selectedId(): string | null
  /** The conversation that any tab selected last, for a start that continues it (`showNewChatOnStartup`). */
  lastSelected(): Conversation | null
}

/** Every tab shows its own conversation, and returns to it after a reload. */
export function createSelectedConversationStore(
  repository: ConversationRepository,
  openTabArea: () => StorageArea,
  markOpen: (id: string | null) => void = () => undefined,
): SelectedConversationStore {
  const { subscribe, notify } = createListeners()
  let tabArea: StorageArea | null = null
  let id: string | null | undefined

  const area = (): StorageArea => {
    tabArea ??= openTabArea()
    return tabArea
  }
  const selectedId = (): string | null => {
    if (id === undefined) {
      id = area().getItem(TAB_SELECTION_KEY)
      markOpen(id)
    }
    return id !== null && repository.get(id) ? id : null
  }

  return {
    subscribe: subscribeToBoth(subscribe, repository.subscribe),
    getSnapshot() {
      const selected = selectedId()
      return selected === null ? null : repository.get(selected)
    },
    getServerSnapshot: () => null,
    selectedId,
    lastSelected: repository.storedSelection,
    select(next) {
      id = next
      markOpen(next)
      rememberInTab(area(), next)
      const isCopied = isKept(() => repository.select(next))
      notify()
      return isCopied
    },
  }
}

function rememberInTab(area: StorageArea, id: string | null): void {
  try {
    if (id === null) area.removeItem(TAB_SELECTION_KEY)
    else area.setItem(TAB_SELECTION_KEY, id)
  } catch {
    // Session storage is full or refused: a reload then starts with a new chat.
  }
}

export const selectedConversationStore = createSelectedConversationStore(
  conversations,
  () => openArea('sessionStorage'),
  createOpenMark(),
)
