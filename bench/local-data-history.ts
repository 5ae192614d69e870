import type { Conversation } from '../lib/local/domain/conversation'

export const CONVERSATION_COUNT = 1_000
const WORDS =
  'coin paper copper forêt Straße señor perché answer question model price token cent night'.split(' ')

/** One of 1,000 conversations that together take the 4.5 MB of the specification's limit. */
export function makeConversation(index: number): Conversation {
  const sentence = (length: number) =>
    Array.from({ length }, (_, word) => WORDS[(index * 7 + word * 3 + (word % 5)) % WORDS.length]).join(' ')
  return {
    id: `conversation-${index}`,
    created_at: new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString(),
    updated_at: new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString(),
    messages: Array.from({ length: 4 }, (_, turn) => ({
      id: `${index}-${turn}`,
      role: turn % 2 === 0 ? 'user' : 'assistant',
      content: sentence(turn % 2 === 0 ? 20 : 300),
      created_at: new Date(Date.UTC(2026, 0, 1) + index * 60_000 + turn).toISOString(),
    })),
  }
}

export function makeHistory(): Conversation[] {
  return Array.from({ length: CONVERSATION_COUNT }, (_, index) => makeConversation(index))
}
