import { isObject } from '@/lib/http/domain/is-object'
import { type GuardedStorage, guardedStorage, listenersOf } from '@/lib/local/storage/guarded-storage'
import { parseStored } from '@/lib/local/storage/json'
import { QUEUED_MESSAGES_KEY } from '@/lib/local/storage/storage-keys'
import { isKept } from '@/lib/local/storage/write-failures'
import type { ChatModel } from '../chat-model'
import { type Draft, parseDraft } from '../draft-store'

/** Why a queue does not go on by itself. */
export type HoldReason = (typeof HOLD_REASONS)[number]
const HOLD_REASONS = ['stopped', 'failed', 'cut', 'shortage', 'price', 'compared'] as const

/** Written while an answer was on its way: sent when that has ended well. */
export interface QueuedMessage {
  /** Becomes the id of the question in its conversation, where it can stand only once. */
  readonly id: string
  readonly draft: Draft
  /** As chosen when it was written: what its price was told for. */
  readonly model: ChatModel
  /** Dollars that the person has said yes to, or was shown; null where no price was understood. */
  readonly acceptedUsd: number | null
  /** It is being edited, and is not sent before that has ended. */
  readonly isOpen: boolean
}

export interface MessageQueue {
  readonly conversationId: string
  readonly messages: readonly QueuedMessage[]
  /** Null: the next one is sent when no answer is on its way. */
  readonly heldBy: HoldReason | null
}

/** More than that is a plan, which stands better in one message. */
export const QUEUE_LENGTH_MAX = 20

/** Of so many conversations; the ones written to least recently make way. */
const QUEUE_COUNT_MAX = 50

/** The queues of all conversations, in local storage: what waits does not depend on the tab it was written in. */
export function createMessageQueueStore(storage: GuardedStorage) {
  const { subscribe, notify } = listenersOf(storage, QUEUED_MESSAGES_KEY)
  let read: { text: string | null; queues: readonly MessageQueue[] } = { text: null, queues: [] }

  function list(): readonly MessageQueue[] {
    const text = storage.read(QUEUED_MESSAGES_KEY)
    if (text !== read.text) {
      const stored = parseStored(text)
      read = { text, queues: Array.isArray(stored) ? stored.flatMap(parseQueue) : [] }
    }
    return read.queues
  }

  const get = (conversationId: string): MessageQueue | null =>
    list().find(queue => queue.conversationId === conversationId) ?? null

  function write(queues: readonly MessageQueue[]): boolean {
    const text = JSON.stringify(queues.slice(-QUEUE_COUNT_MAX))
    const isWritten = isKept(() => {
      if (queues.length > 0) return storage.write(QUEUED_MESSAGES_KEY, text)
      storage.remove(QUEUED_MESSAGES_KEY)
      return true
    })
    notify()
    return isWritten
  }

  return {
    subscribe,
    /** Null when nothing is queued. */
    get,
    /** Words that were meant for a conversation go with it. */
    forget(isGone: (conversationId: string) => boolean): void {
      const left = list().filter(({ conversationId }) => !isGone(conversationId))
      if (left.length < list().length) write(left)
    },
    /** False when it could not be written: then it is as it was. */
    update(conversationId: string, edit: (queue: MessageQueue) => MessageQueue): boolean {
      const before = get(conversationId)
      const after = edit(before ?? { conversationId, messages: [], heldBy: null })
      if (after === before) return true
      const others = list().filter(queue => queue.conversationId !== conversationId)
      return write(after.messages.length === 0 ? others : [...others, after])
    },
  }
}

export const messageQueueStore = createMessageQueueStore(guardedStorage)

/** Damaged or foreign entries count as nothing queued. */
function parseQueue(value: unknown): MessageQueue[] {
  if (!isObject(value) || typeof value.conversationId !== 'string' || !Array.isArray(value.messages))
    return []
  const messages = value.messages.flatMap(parseQueued).slice(0, QUEUE_LENGTH_MAX)
  const heldBy = HOLD_REASONS.find(reason => reason === value.heldBy) ?? null
  return messages.length === 0 ? [] : [{ conversationId: value.conversationId, messages, heldBy }]
}

function parseQueued(value: unknown): QueuedMessage[] {
  if (!isObject(value) || typeof value.id !== 'string' || !isModel(value.model)) return []
  const { id, model, acceptedUsd, isOpen } = value
  const draft = parseDraft(value.draft)
  if (draft === null) return []
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

function isModel(value: unknown): value is ChatModel {
  return (
    isObject(value) &&
    typeof value.id === 'string' &&
    typeof value.name === 'string' &&
    isObject(value.prices) &&
    typeof value.prices.prompt === 'string' &&
    typeof value.prices.completion === 'string' &&
    ['takesPictures', 'takesFiles', 'draws'].every(field => typeof value[field] === 'boolean') &&
    isControls(value.controls) &&
    (value.windowTokens === null || typeof value.windowTokens === 'number')
  )
}

function isControls(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value.temperature === 'boolean' &&
    (value.outputTokensMax === null || typeof value.outputTokensMax === 'number') &&
    Array.isArray(value.efforts) &&
    value.efforts.every(effort => typeof effort === 'string')
  )
}
