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
  /** Where a message was taken out that is not known any more; null for one that is new. */
  removedBy: (messageId: string) => 'this tab' | 'another tab' | null
  /** Messages that another tab's older copy has brought in: of them the conversation's own time says nothing. */
  cameIn: ReadonlySet<string>
  now: Date
}

/**
 * What a save means, given what is known by now. An edit of what is known does what it says. One of an older
 * state, which was in somebody's hands while another tab wrote, adds and changes, but takes nothing away.
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
  /** What differs from what is known was changed by this edit, and not before it by somebody else. */
  const isChange = (own?: string, last?: string): boolean => !isStale || own === last
  const before = new Map(allMessages(known).map(message => [message.id ?? '', message]))
  const apply = (message: Message): Message[] => {
    const last = before.get(message.id ?? '')
    if (message.id === undefined) return [message]
    // Where a message stands is not what it says: to move it takes nothing from who changes it meanwhile.
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
