import type { Conversation } from '@/lib/chat/domain/conversation'
import type { GuardedStorage } from '../storage/guarded-storage'
import { parseJson } from '../storage/json'
import { setAsideItem, setAsideText } from '../storage/set-aside'
import { SELECTED_CONVERSATION_KEY } from '../storage/storage-keys'
import { parseConversation } from './parse-conversation'

export interface SelectedFile {
  read(): Conversation | null
  write(conversation: Conversation): boolean
  remove(): void
}

/**
 * The selected conversation's own copy. An answer that streams in is written here only, many times;
 * the list, which may be a thousand times larger, gets it once at the end.
 */
export function createSelectedFile(storage: GuardedStorage): SelectedFile {
  let seen: { text: string | null; conversation: Conversation | null } = { text: null, conversation: null }
  let isBlocked = false

  function read(): Conversation | null {
    const text = storage.read(SELECTED_CONVERSATION_KEY)
    if (text === seen.text && !isBlocked) return seen.conversation
    const parsed = text === null || text === 'null' ? null : parseConversation(parseJson(text))
    seen = { text, conversation: parsed?.conversation ?? null }
    const isReadable = text === null || text === 'null' || parsed?.isWhole === true
    isBlocked = !isReadable && !setAside(text, parsed !== null)
    return seen.conversation
  }

  function setAside(text: string, isPartlyReadable: boolean): boolean {
    return isPartlyReadable
      ? setAsideText(storage, SELECTED_CONVERSATION_KEY, text)
      : setAsideItem(storage, SELECTED_CONVERSATION_KEY)
  }

  return {
    read,
    write(conversation) {
      if (isBlocked) read()
      if (isBlocked) return storage.refuse()
      const text = JSON.stringify(conversation)
      if (!storage.write(SELECTED_CONVERSATION_KEY, text)) return false
      seen = { text, conversation }
      return true
    },
    remove() {
      if (isBlocked) read()
      if (!isBlocked) storage.remove(SELECTED_CONVERSATION_KEY)
    },
  }
}
