import { isCutByBalance, type Message } from '@/lib/local/domain/conversation'
import { type HoldReason, type MessageQueue, QUEUE_LENGTH_MAX, type QueuedMessage } from './queue-store'

export function addMessage(queue: MessageQueue, message: QueuedMessage): MessageQueue {
  const isKnown = queue.messages.some(({ id }) => id === message.id)
  if (isKnown || queue.messages.length >= QUEUE_LENGTH_MAX) return queue
  return { ...queue, messages: [...queue.messages, message] }
}

export function changeMessage(
  queue: MessageQueue,
  id: string,
  change: Partial<Omit<QueuedMessage, 'id'>>,
): MessageQueue {
  const messages = queue.messages.map(message => (message.id === id ? { ...message, ...change } : message))
  return { ...queue, messages }
}

/** Moves a message one place towards the front (-1) or the end (1), if there is one. */
export function moveMessage(queue: MessageQueue, id: string, step: -1 | 1): MessageQueue {
  const from = queue.messages.findIndex(message => message.id === id)
  const moved = queue.messages[from]
  const target = from + step
  if (!moved || target < 0 || target >= queue.messages.length) return queue
  return { ...queue, messages: queue.messages.toSpliced(from, 1).toSpliced(target, 0, moved) }
}

export function dropMessage(queue: MessageQueue, id: string): MessageQueue {
  return { ...queue, messages: queue.messages.filter(message => message.id !== id) }
}

/** Returns a message that was sent and refused to the front, under a new id that is not used up. */
export function returnMessage(queue: MessageQueue, message: QueuedMessage, id: string): MessageQueue {
  return { ...queue, messages: [{ ...message, id }, ...queue.messages], heldBy: 'shortage' }
}

/** The message to send now; null if none may be sent. */
export function nextMessage({ heldBy, messages }: MessageQueue): QueuedMessage | null {
  const [first] = messages
  return heldBy === null && first && !first.isOpen ? first : null
}

/** Why the queue must stop after this answer; null to go on. A missing answer was deleted, which counts as a stop. */
export function holdReasonAfter(answer: Message | null): HoldReason | null {
  if (answer === null || answer.status === 'stopped') return 'stopped'
  if (answer.status === 'failed') return answer.error_code === 'insufficient_credit' ? 'shortage' : 'failed'
  return isCutByBalance(answer) ? 'cut' : null
}
