import type { Conversation } from '../domain/conversation'
import type { GuardedStorage } from '../storage/guarded-storage'
import { isSameJson, parseStored } from '../storage/json'
import { setAsideItem, setAsideText } from '../storage/set-aside'
import { CONVERSATION_HISTORY_KEY } from '../storage/storage-keys'
import { conversationJson } from './conversation-json'
import { parseConversation } from './parse-conversation'

export interface HistoryFile {
  read(): readonly Conversation[]
  write(conversations: readonly Conversation[]): boolean
}

/**
 * The stored list. Reading compares the text with the last one seen and parses only a changed one; writing joins the
 * texts of the conversations and serializes only changed conversations.
 */
export function createHistoryFile(storage: GuardedStorage): HistoryFile {
  let seen: { text: string | null; conversations: readonly Conversation[] } = {
    text: null,
    conversations: [],
  }
  /** Whether the stored text contains something unreadable that could not be set aside yet. */
  let isBlocked = false

  function read(): readonly Conversation[] {
    const text = storage.read(CONVERSATION_HISTORY_KEY)
    if (text === seen.text && !isBlocked) return seen.conversations
    const { conversations, isSafe } = parseHistory(storage, text)
    isBlocked = !isSafe
    seen = { text, conversations }
    return conversations
  }

  function write(conversations: readonly Conversation[]): boolean {
    if (isBlocked) read()
    if (isBlocked) return storage.refuse()
    const text = `[${conversations.map(conversationJson).join(',')}]`
    if (!storage.write(CONVERSATION_HISTORY_KEY, text)) return false
    seen = { text, conversations }
    return true
  }

  return { read, write }
}

function parseHistory(storage: GuardedStorage, text: string | null) {
  const stored = parseStored(text)
  if (stored === null) {
    // Megabytes of blanks contain nothing, and still take up space.
    if (text !== null) storage.remove(CONVERSATION_HISTORY_KEY)
    return { conversations: [], isSafe: true }
  }
  if (!Array.isArray(stored)) {
    return { conversations: [], isSafe: setAsideItem(storage, CONVERSATION_HISTORY_KEY) }
  }
  const { conversations, unreadable } = readEntries(stored)
  const isSafe =
    unreadable.length === 0 || setAsideText(storage, CONVERSATION_HISTORY_KEY, JSON.stringify(unreadable))
  return { conversations, isSafe }
}

/** The readable part of a text that is, or was, a list or a selected conversation. */
export function conversationsIn(text: string): readonly Conversation[] {
  return readEntries([parseStored(text)].flat()).conversations
}

function readEntries(entries: readonly unknown[]) {
  const conversations = new Map<string, Conversation>()
  const unreadable: unknown[] = []
  for (const entry of entries) {
    const parsed = parseConversation(entry)
    if (parsed) addUnderOwnId(conversations, parsed.conversation)
    if (!parsed?.isWhole) unreadable.push(entry)
  }
  return { conversations: [...conversations.values()], unreadable }
}

/** Other products' lists may contain two conversations with the same id, of which the merge would keep only one. */
function addUnderOwnId(conversations: Map<string, Conversation>, conversation: Conversation): void {
  let id = conversation.id
  for (let copy = 2; conversations.has(id); copy += 1) {
    if (isSameJson(conversations.get(id), { ...conversation, id })) return
    id = `${conversation.id}-${copy}`
  }
  conversations.set(id, id === conversation.id ? conversation : { ...conversation, id })
}
