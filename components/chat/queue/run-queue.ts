import { EVERYDAY_ANSWER_TOKEN_COUNT, WORDS_PER_TOKEN } from '@/lib/catalogue/domain/everyday'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { conversations } from '@/lib/local/conversations/conversations'
import { creditIdStore } from '@/lib/local/credit-id'
import { closeComparison, openComparison } from '@/lib/local/domain/comparisons'
import type { Conversation, Message } from '@/lib/local/domain/conversation'
import { allMessages, findTurn } from '@/lib/local/domain/turns'
import { ASKED_FROM_USD, spendingLimitsStore, spentUsd } from '@/lib/local/spending-limits'
import { withLock } from '@/lib/local/storage/locks'
import { createUuid } from '@/lib/local/uuid'
import { type Nano, nanoToUsdNumber } from '@/lib/money/nano'
import { askQueued } from '../ask-question'
import type { ChatModel } from '../chat-model'
import { contentOf, type Draft, draftStore, EMPTY_DRAFT } from '../draft-store'
import { estimateAnswer } from '../turn-actions'
import { addMessage, dropMessage, holdReasonAfter, nextMessage, returnMessage } from './message-queue'
import { type HoldReason, messageQueueStore, type QueuedMessage } from './queue-store'

/** A stand-in for an answer that does not exist yet, to estimate prices. */
const EVERYDAY_ANSWER: Message = {
  role: 'assistant',
  content: 'word '.repeat(EVERYDAY_ANSWER_TOKEN_COUNT * WORDS_PER_TOKEN),
}
/** If a waiting message has become more expensive than this factor, the person is asked again. */
const PRICE_GROWTH_MAX = 1.5

/**
 * Adds a message to the end of the queue; it is sent at once if the answer has ended meanwhile. False if it could not
 * be queued.
 */
export function queueMessage(
  conversationId: string,
  { draft, model, estimate }: { draft: Draft; model: ChatModel; estimate: Nano | null },
): boolean {
  // A second press is not a second message, and a draft that was changed meanwhile is not finished.
  if (draftStore.get(conversationId) !== draft) return true
  const id = createUuid()
  const acceptedUsd = estimate === null ? null : nanoToUsdNumber(estimate)
  const message = { id, draft, model, acceptedUsd, isOpen: false }
  messageQueueStore.update(conversationId, queue => addMessage(queue, message))
  if (!messageQueueStore.get(conversationId)?.messages.some(queued => queued.id === id)) return false
  draftStore.set(conversationId, EMPTY_DRAFT)
  void continueQueue(conversationId)
  return true
}

/** Resumes the queue: the price shown beside the next message is accepted, whatever the limits. */
export function goOn(conversationId: string): void {
  messageQueueStore.update(conversationId, queue => ({ ...queue, heldBy: null }))
  void continueQueue(conversationId, undefined, true)
}

function holdQueue(conversationId: string, heldBy: HoldReason): void {
  if (messageQueueStore.get(conversationId)) {
    messageQueueStore.update(conversationId, queue => ({ ...queue, heldBy }))
  }
}

/**
 * Sends the next message if possible: after the answer that has just ended, else at the end of the turns shown. All
 * tabs may call this; the first one adds the message to the conversation, and the others find it there.
 */
export async function continueQueue(
  conversationId: string,
  endedAnswerId?: string,
  isPriceAccepted = false,
): Promise<void> {
  const { sending } = await withLock(`chat-queue:${conversationId}`, async () => ({
    // Started under the lock, but awaited outside.
    sending: sendNext(conversationId, endedAnswerId, isPriceAccepted),
  }))
  await sending
}

async function sendNext(
  conversationId: string,
  endedAnswerId: string | undefined,
  isPriceAccepted: boolean,
): Promise<void> {
  // A recent change by another tab may not have been seen here yet.
  conversations.refresh()
  const conversation = conversationStore.get(conversationId)
  const next = conversation && takeNext(conversation, endedAnswerId, isPriceAccepted)
  if (!next) return
  messageQueueStore.update(conversationId, queue => dropMessage(queue, next.id))
  try {
    const shortage = await askQueued(conversation, endedAnswerId ?? null, next)
    // The question was removed again, which used up its id.
    if (shortage) {
      messageQueueStore.update(conversationId, queue => returnMessage(queue, next, createUuid()))
    }
  } catch {
    holdQueue(conversationId, 'failed')
  }
}

function takeNext(
  conversation: Conversation,
  endedAnswerId: string | undefined,
  isPriceAccepted: boolean,
): QueuedMessage | null {
  const { id } = conversation
  const ended = endedAnswerId === undefined ? undefined : findTurn(conversation, endedAnswerId)
  // The person has to choose which of several answers to continue from.
  const isCompared = ended !== undefined && openComparison(conversation).length > 0
  const reason = ended === undefined ? null : (holdReasonAfter(ended) ?? (isCompared ? 'compared' : null))
  if (reason !== null) holdQueue(id, reason)
  messageQueueStore.update(id, queue => {
    const left = queue.messages.filter(
      message => !findTurn(conversation, message.id) && !conversationStore.isRemoved(id, message.id),
    )
    return left.length === queue.messages.length ? queue : { ...queue, messages: left }
  })
  const queue = messageQueueStore.get(id)
  const next = queue && nextMessage(queue)
  if (!next || allMessages(conversation).some(({ status }) => status === 'streaming')) return null
  const [price = null] = priceQueue(id)
  const usd = price === null ? 0 : nanoToUsdNumber(price)
  const limits = spendingLimitsStore.getSnapshot()
  const askedFromUsd = limits.messageUsd ?? ASKED_FROM_USD
  const leftUsd = (limits.conversationUsd ?? Number.POSITIVE_INFINITY) - spentUsd(conversation)
  const isAccepted =
    isPriceAccepted ||
    usd === 0 ||
    (usd <= leftUsd && usd < Math.max(askedFromUsd, (next.acceptedUsd ?? 0) * PRICE_GROWTH_MAX))
  if (isAccepted && creditIdStore.getSnapshot() !== null) return next
  holdQueue(id, isAccepted ? 'shortage' : 'price')
  return null
}

/** The approximate price of each message when its turn comes, assuming everyday answers to those before it. */
export function priceQueue(conversationId: string): (Nano | null)[] {
  const conversation = conversationStore.get(conversationId)
  const queue = messageQueueStore.get(conversationId)
  if (!conversation || !queue) return []
  const messages: Message[] = closeComparison(conversation).messages.map(message =>
    message.status === 'streaming' && message.content === '' ? EVERYDAY_ANSWER : message,
  )
  return queue.messages.map(({ draft, model }) => {
    messages.push({ role: 'user', content: contentOf(draft, '', model.takesFiles) })
    const price = estimateAnswer(model, conversation, messages)
    messages.push(EVERYDAY_ANSWER)
    return price
  })
}
