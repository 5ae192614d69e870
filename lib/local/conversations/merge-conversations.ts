import type { Conversation, Message } from '../domain/conversation'
import { mergeTurns } from '../domain/merge-turns'
import { steeringOf } from '../domain/steering'
import { allMessages, removeMessages, withTurns } from '../domain/turns'
import { isSameJson } from '../storage/json'
import { lastChangeMs } from './conversation-time'
import { idsWithRemovedMessages, type Removals, removalOfMessage } from './removals'

/**
 * Merges several copies of the history: per id the turns of all copies, except those removed after they were written.
 * The result does not depend on the order of the sources, so that tabs with the same knowledge agree.
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

function withoutRemoved(conversation: Conversation, removals: Removals): Conversation {
  const removedIds = allMessages(conversation).flatMap(message => {
    const { id = '' } = message
    const removedMs = removals.get(removalOfMessage(conversation.id, id))
    return removedMs !== undefined && messageChangeMs(message) <= removedMs ? [id] : []
  })
  return removeMessages(conversation, removedIds)
}

/**
 * Merges two copies: the newer one, plus what only the other has, and what changed later in the other. Returns the same
 * object if it already contains everything, so that snapshots keep their identity.
 */
export function mergeConversation(left: Conversation, right: Conversation): Conversation {
  if (left === right) return left
  const newer = newerOf(left, right)
  const older = newer === left ? right : left
  const turns = mergeTurns(newer, older, laterMessage)
  const isRenamedLater = (older.title_updated_at ?? '') > (newer.title_updated_at ?? '')
  const isSteeredLater = steeredLater(older, newer) === older
  if (turns === newer && !isRenamedLater && !isSteeredLater) return newer
  const { title, title_updated_at } = isRenamedLater ? older : newer
  const steered = isSteeredLater ? older : newer
  const { steering_updated_at } = steered
  const merged = withTurns(
    { ...newer, title, title_updated_at, ...steeringOf(steered), steering_updated_at },
    turns,
  )
  return isSameJson(merged, older) ? older : merged
}

function steeredLater(left: Conversation, right: Conversation): Conversation {
  const [leftAt = '', rightAt = ''] = [left.steering_updated_at, right.steering_updated_at]
  if (leftAt !== rightAt) return leftAt > rightAt ? left : right
  const [mine, theirs] = [steeringOf(left), steeringOf(right)]
  // As in `newerOf`; and an equal one is not replaced.
  return isSameJson(mine, theirs) || JSON.stringify(mine) < JSON.stringify(theirs) ? right : left
}

function newerOf(left: Conversation, right: Conversation): Conversation {
  const difference =
    lastChangeMs(left) - lastChangeMs(right) || allMessages(left).length - allMessages(right).length
  if (difference !== 0) return difference > 0 ? left : right
  if (isSameJson(left, right)) return left
  // Written in the same millisecond by two tabs: any rule will do that both follow.
  const [mine, theirs] = [contentOf(left), contentOf(right)]
  if (mine !== theirs) return mine > theirs ? left : right
  return JSON.stringify(left) >= JSON.stringify(right) ? left : right
}

/** The content without fields that have times of their own: a copy that took those over is still at its old state. */
function contentOf({ title, title_updated_at, steering_updated_at, ...rest }: Conversation): string {
  const { system_prompt, temperature, max_tokens, reasoning_effort, ...content } = rest
  return JSON.stringify(content)
}

/** Compares the times of the last change; a finished answer counts more than the same one in progress. */
export function laterMessage(message: Message, other: Message | undefined): Message {
  if (other === undefined || other === message) return message
  const difference = messageChangeMs(other) - messageChangeMs(message)
  const isEnded = message.status === 'streaming' && other.status !== 'streaming'
  return difference > 0 || (difference === 0 && isEnded) ? other : message
}

/** 0 for a message that was never changed. */
function messageChangeMs({ updated_at }: Message): number {
  return Date.parse(updated_at ?? '') || 0
}
