import { isObject, listOf } from '@/lib/http/domain/is-object'
import { createEntryStore } from '@/lib/local/storage/entry-store'
import { type GuardedStorage, guardedStorage } from '@/lib/local/storage/guarded-storage'
import { parseStored } from '@/lib/local/storage/json'
import { QUEUED_MESSAGES_KEY } from '@/lib/local/storage/storage-keys'
import { isKept } from '@/lib/local/storage/write-failures'
import { type ChatModel, parseModel } from '../chat-model'
import { type Draft, parseDraft } from '../draft-store'

/** Why a queue is held. */
export type HoldReason = (typeof HOLD_REASONS)[number]
const HOLD_REASONS = ['stopped', 'failed', 'cut', 'shortage', 'price', 'compared'] as const

/** A message that was written during an answer; it is sent once that has ended well. */
export interface QueuedMessage {
  /** Becomes the id of the question in its conversation, so that it can be added only once. */
  readonly id: string
  readonly draft: Draft
  /** The model chosen when it was written, which its price was shown for. */
  readonly model: ChatModel
  /** The price in dollars that the person accepted or was shown; null if it was unknown. */
  readonly acceptedUsd: number | null
  /** It is being edited, and is not sent meanwhile. */
  readonly isOpen: boolean
}

export interface MessageQueue {
  readonly conversationId: string
  readonly messages: readonly QueuedMessage[]
  /** Null: the next message is sent when no answer is in progress. */
  readonly heldBy: HoldReason | null
}

/** More messages than that are a plan, which is better sent as one. */
export const QUEUE_LENGTH_MAX = 20

/** The most conversations with a queue; beyond it, the least recently changed queues are dropped. */
const QUEUE_COUNT_MAX = 50

/** The queues of all conversations, in local storage, so that waiting does not depend on the tab. */
export function createMessageQueueStore(storage: GuardedStorage) {
  const entry = createEntryStore(storage, QUEUED_MESSAGES_KEY, parseQueues)

  const get = (conversationId: string): MessageQueue | null =>
    entry.getSnapshot().find(queue => queue.conversationId === conversationId) ?? null

  function write(queues: readonly MessageQueue[]): boolean {
    const text = JSON.stringify(queues.slice(-QUEUE_COUNT_MAX))
    return isKept(() => {
      if (queues.length > 0) return entry.write(text)
      entry.remove()
      return true
    })
  }

  return {
    subscribe: entry.subscribe,
    /** Null if nothing is queued. */
    get,
    /** Drops the queues of conversations that were deleted. */
    forget(isGone: (conversationId: string) => boolean): void {
      const left = entry.getSnapshot().filter(({ conversationId }) => !isGone(conversationId))
      if (left.length < entry.getSnapshot().length) write(left)
    },
    /** False if it could not be stored; then nothing has changed. */
    update(conversationId: string, edit: (queue: MessageQueue) => MessageQueue): boolean {
      const before = get(conversationId)
      const after = edit(before ?? { conversationId, messages: [], heldBy: null })
      if (after === before) return true
      const others = entry.getSnapshot().filter(queue => queue.conversationId !== conversationId)
      return write(after.messages.length === 0 ? others : [...others, after])
    },
  }
}

export const messageQueueStore = createMessageQueueStore(guardedStorage)

/** Damaged or unknown entries count as empty queues. */
function parseQueues(text: string | null): readonly MessageQueue[] {
  return listOf(parseStored(text)).flatMap(parseQueue)
}

function parseQueue(value: unknown): MessageQueue[] {
  if (!isObject(value) || typeof value.conversationId !== 'string' || !Array.isArray(value.messages))
    return []
  const messages = value.messages.flatMap(parseQueued).slice(0, QUEUE_LENGTH_MAX)
  const heldBy = HOLD_REASONS.find(reason => reason === value.heldBy) ?? null
  return messages.length === 0 ? [] : [{ conversationId: value.conversationId, messages, heldBy }]
}

function parseQueued(value: unknown): QueuedMessage[] {
  if (!isObject(value) || typeof value.id !== 'string' || !isObject(value.model)) return []
  const { id, acceptedUsd, isOpen } = value
  const [draft, model] = [parseDraft(value.draft), parseModel(value.model.listed)]
  if (!draft || !model) return []
  return [
    {
      id,
      draft,
      model,
      acceptedUsd: typeof acceptedUsd === 'number' ? acceptedUsd : null,
      isOpen: isOpen === true,
    },
  ]
}
