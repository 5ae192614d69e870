import type { Conversation } from '../domain/conversation'
import type { GuardedStorage } from '../storage/guarded-storage'
import { parseStored } from '../storage/json'
import { setAsideItem, setAsideText } from '../storage/set-aside'
import { SELECTED_CONVERSATION_KEY } from '../storage/storage-keys'
import { growingConversationJson } from './conversation-json'
import { parseConversation } from './parse-conversation'

/** Longer than any product's ids. */
const REFERENCE_LENGTH_MAX = 200

export interface SelectedFile {
  read(): Conversation | null
  /** The id that another product stored in place of the conversation; null if there is none. */
  readReference(): string | null
  write(conversation: Conversation): boolean
  remove(): void
}

/**
 * The selected conversation's own copy. A streaming answer is only written here, many times; the list, which may be a
 * thousand times larger, is updated once at the end.
 */
export function createSelectedFile(storage: GuardedStorage): SelectedFile {
  let seen: { text: string | null; conversation: Conversation | null } = { text: null, conversation: null }
  let isBlocked = false

  function read(): Conversation | null {
    const text = storage.read(SELECTED_CONVERSATION_KEY)
    if (text === seen.text && !isBlocked) return seen.conversation
    const stored = parseStored(text)
    const parsed = parseConversation(stored)
    seen = { text, conversation: parsed?.conversation ?? null }
    const isReadable = stored === null || parsed?.isWhole === true || referenceIn(text) !== null
    isBlocked = text !== null && !isReadable && !setAside(text, parsed !== null)
    return seen.conversation
  }

  function setAside(text: string, isPartlyReadable: boolean): boolean {
    return isPartlyReadable
      ? setAsideText(storage, SELECTED_CONVERSATION_KEY, text)
      : setAsideItem(storage, SELECTED_CONVERSATION_KEY)
  }

  return {
    read,
    readReference: () => referenceIn(storage.read(SELECTED_CONVERSATION_KEY)),
    write(conversation) {
      if (isBlocked) read()
      if (isBlocked) return storage.refuse()
      const text = growingConversationJson(conversation)
      // A question is saved, and then its conversation selected: reading takes a tenth of the time of writing.
      const isWritten = storage.read(SELECTED_CONVERSATION_KEY) === text
      if (!isWritten && !storage.write(SELECTED_CONVERSATION_KEY, text)) return false
      seen = { text, conversation }
      return true
    },
    remove() {
      if (isBlocked) read()
      if (!isBlocked) storage.remove(SELECTED_CONVERSATION_KEY)
    },
  }
}

/** A bare id, quoted or not: it names a conversation and contains nothing that could be lost. */
function referenceIn(text: string | null): string | null {
  if (text === null || text.length > REFERENCE_LENGTH_MAX || /^\s*[{[]/.test(text)) return null
  const stored = parseStored(text) ?? text.trim()
  return typeof stored === 'string' || typeof stored === 'number' ? String(stored) : null
}
