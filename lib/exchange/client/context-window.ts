import type { Message } from '@/lib/local/domain/conversation'
import { countContextTokens } from './message-tokens'

/**
 * The newest messages that fit into `tokenCountMax`, oldest first. The last message is always whole,
 * however long: a question is never cut. Instructions (`system`) stay as long as they fit beside it.
 * What remains never begins with an answer whose question was left out.
 */
export function chooseContext(messages: readonly Message[], tokenCountMax: number): readonly Message[] {
  const last = messages.at(-1)
  if (!last) return []
  let remaining = tokenCountMax - countContextTokens(last)
  const kept = new Set<Message>([last])
  for (const message of messages.slice(0, -1).filter(({ role }) => role === 'system')) {
    const cost = countContextTokens(message)
    if (cost > remaining) continue
    kept.add(message)
    remaining -= cost
  }
  for (const message of messages.slice(0, -1).reverse()) {
    if (message.role === 'system') continue
    const cost = countContextTokens(message)
    if (cost > remaining) break
    kept.add(message)
    remaining -= cost
  }
  return dropOrphanedAnswers(messages.filter(message => kept.has(message)))
}

function dropOrphanedAnswers(messages: readonly Message[]): readonly Message[] {
  const firstQuestion = messages.findIndex(({ role }) => role === 'user')
  return messages.filter((message, index) => message.role !== 'assistant' || index > firstQuestion)
}
