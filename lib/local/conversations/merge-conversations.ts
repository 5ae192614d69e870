import type { Conversation, Message } from '../domain/conversation'
import { isSameJson } from '../storage/json'
import { lastChangeMs } from './conversation-time'

/**
 * What was taken out -> when, in epoch milliseconds: conversations (deleted or archived) by their id, single
 * messages by `removalOfMessage`.
 */
export type Removals = ReadonlyMap<string, number>

const MESSAGE_MARK = '/'

export function removalOfMessage(conversationId: string, messageId: string): string {
  return `${conversationId}${MESSAGE_MARK}${messageId}`
}

/**
 * What several copies of the history amount to: per id the turns of all copies, unless they were removed
 * after they were written. The order of the sources does not matter for what is kept, so tabs that know the
 * same things agree.
 */
export function mergeConversations(
  sources: readonly (readonly Conversation[])[],
  removals: Removals,
): Map<string, Conversation> {
  const merged = new Map<string, Conversation>()
  for (const source of sources) {
    for (const conversation of source) {
      const known = merged.get(conversation.id)
      merged.set(conversation.id, known ? mergeConversation(known, conversation) : conversation)
    }
  }
  for (const [removed, removedMs] of removals) {
    const conversation = merged.get(removed)
    if (conversation && lastChangeMs(conversation) <= removedMs) merged.delete(removed)
  }
  for (const id of idsWithRemovedMessages(removals)) {
    const conversation = merged.get(id)
    if (conversation) merged.set(id, withoutRemoved(conversation, removals))
  }
  return merged
}

function idsWithRemovedMessages(removals: Removals): Set<string> {
  const marked = [...removals.keys()].filter(key => key.includes(MESSAGE_MARK))
  return new Set(marked.map(key => key.slice(0, key.lastIndexOf(MESSAGE_MARK))))
}

function withoutRemoved(conversation: Conversation, removals: Removals): Conversation {
  const isRemoved = (message: Message): boolean => {
    const removedMs = removals.get(removalOfMessage(conversation.id, message.id ?? ''))
    return removedMs !== undefined && messageChangeMs(message) <= removedMs
  }
  const messages = conversation.messages.filter(message => !isRemoved(message))
  return messages.length === conversation.messages.length ? conversation : { ...conversation, messages }
}

/**
 * Both copies in one: the newer one, with what only the other has and with what changed later in the other.
 * The same object comes back when it already says everything, so that snapshots keep their identity.
 */
export function mergeConversation(left: Conversation, right: Conversation): Conversation {
  if (left === right) return left
  const newer = newerOf(left, right)
  const older = newer === left ? right : left
  const messages = mergeMessages(newer.messages, older.messages)
  const isRenamedLater = (older.title_updated_at ?? '') > (newer.title_updated_at ?? '')
  if (messages === newer.messages && !isRenamedLater) return newer
  const { title, title_updated_at } = isRenamedLater ? older : newer
  const merged = { ...newer, title, title_updated_at, messages }
  return isSameJson(merged, older) ? older : merged
}

function newerOf(left: Conversation, right: Conversation): Conversation {
  const difference = lastChangeMs(left) - lastChangeMs(right) || left.messages.length - right.messages.length
  if (difference !== 0) return difference > 0 ? left : right
  if (isSameJson(left, right)) return left
  // Written in the same millisecond by two tabs: any rule will do that both tabs follow.
  return JSON.stringify(left) >= JSON.stringify(right) ? left : right
}

/**
 * The messages of both lists, in the order of the first; what only the second has stands behind the message
 * that it stands behind there. Messages without ids (of other products) are those of the first alone.
 */
export function mergeMessages(first: Message[], second: readonly Message[]): Message[] {
  const missing = new Map(
    second.flatMap(message => (message.id === undefined ? [] : [[message.id, message]])),
  )
  const merged = first.map(message => laterOf(message, missing.get(message.id ?? '')))
  for (const { id } of first) missing.delete(id ?? '')
  if (missing.size > 0) insertMissing(merged, second, missing)
  return merged.length === first.length && merged.every((message, index) => message === first[index])
    ? first
    : merged
}

function insertMissing(
  merged: Message[],
  second: readonly Message[],
  missing: ReadonlyMap<string, Message>,
): void {
  const unnamed = merged.filter(({ id }) => id === undefined)
  let unnamedCount = 0
  let end = 0
  for (const message of second) {
    if (message.id !== undefined && missing.get(message.id) === message) {
      merged.splice(end, 0, message)
      end += 1
      continue
    }
    const known =
      message.id === undefined
        ? merged.indexOf(unnamed[unnamedCount++] ?? message)
        : merged.findIndex(({ id }) => id === message.id)
    if (known >= 0) end = known + 1
  }
}

/** By the time of its last change; an answer that has ended counts more than the same one on its way. */
function laterOf(message: Message, other: Message | undefined): Message {
  if (other === undefined || other === message) return message
  const difference = messageChangeMs(other) - messageChangeMs(message)
  const isEnded = message.status === 'streaming' && other.status !== 'streaming'
  return difference > 0 || (difference === 0 && isEnded) ? other : message
}

/** 0 for a message that is as it was first written. */
function messageChangeMs({ updated_at }: Message): number {
  return Date.parse(updated_at ?? '') || 0
}

/** The later of two removals counts. */
export function mergeRemovals(left: Removals, right: Removals): Map<string, number> {
  const merged = new Map(left)
  for (const [id, removedMs] of right) merged.set(id, Math.max(removedMs, merged.get(id) ?? removedMs))
  return merged
}
