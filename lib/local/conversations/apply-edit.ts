import type { Conversation, Message } from '../domain/conversation'
import { mergeTurns } from '../domain/merge-turns'
import { steeringOf } from '../domain/steering'
import { allMessages, placedAs, withTurns } from '../domain/turns'
import { isSameJson } from '../storage/json'
import { stampChange } from './conversation-time'
import { laterMessage } from './merge-conversations'

export interface Edit {
  edited: Conversation
  known: Conversation | null
  /** Who removed a message that is no longer known; null for one that is new. */
  removedBy: (messageId: string) => 'this tab' | 'another tab' | null
  /** Messages that came from another tab's older copy, about which the conversation's own time says nothing. */
  cameIn: ReadonlySet<string>
  now: Date
}

/**
 * Determines what a save means, given the current state. An edit of that state is applied as it is. An edit of an older
 * state, made while another tab wrote, adds and changes, but removes nothing.
 */
export function applyEdit({ edited, known, removedBy, cameIn, now }: Edit) {
  const stamped = stampChange(edited, known, now)
  if (!known) return { conversation: stamped, removedMessageIds: [] }
  const { updated_at } = stamped
  const isBehind = cameIn.size > 0 && !allMessages(edited).some(({ id = '' }) => cameIn.has(id))
  const isStale =
    isBehind ||
    edited.updated_at !== known.updated_at ||
    edited.title_updated_at !== known.title_updated_at ||
    edited.steering_updated_at !== known.steering_updated_at
  /** What differs from the current state was changed by this edit, and not by somebody else before it. */
  const isChange = (own?: string, last?: string): boolean => !isStale || own === last
  const before = new Map(allMessages(known).map(message => [message.id ?? '', message]))
  const apply = (message: Message): Message[] => {
    const last = before.get(message.id ?? '')
    if (message.id === undefined) return [message]
    // A message's place is not part of its text: moving it must not override somebody else's change.
    if (last && isSameJson(placedAs(message, last), message)) return [message]
    if (last) return [isChange(message.updated_at, last.updated_at) ? { ...message, updated_at } : last]
    const remover = removedBy(message.id)
    if (remover === 'another tab') return []
    return [remover === null ? message : { ...message, updated_at }]
  }
  const turns = {
    messages: edited.messages.flatMap(apply),
    branches: edited.branches?.flatMap(branch => apply(branch).map(one => placedAs(branch, one))),
  }
  for (const { id } of allMessages(turns)) before.delete(id ?? '')
  const isRenamed = edited.title !== known.title && isChange(edited.title_updated_at, known.title_updated_at)
  const isSteered =
    !isSameJson(steeringOf(edited), steeringOf(known)) &&
    isChange(edited.steering_updated_at, known.steering_updated_at)
  return {
    conversation: withTurns(
      {
        ...stamped,
        title: isRenamed ? edited.title : known.title,
        title_updated_at: isRenamed ? updated_at : known.title_updated_at,
        ...steeringOf(isSteered ? edited : known),
        steering_updated_at: isSteered ? updated_at : known.steering_updated_at,
      },
      isStale ? mergeTurns(turns, known, laterMessage) : turns,
    ),
    removedMessageIds: isStale ? [] : [...before.keys()].filter(id => id !== ''),
  }
}
