import { createHistorySearch } from '../lib/local/archive/search-history'
import { createConversationRepository } from '../lib/local/conversations/conversation-repository'
import type { Conversation } from '../lib/local/domain/conversation'
import { createGuardedStorage } from '../lib/local/storage/guarded-storage'
import { createMemoryArea } from '../lib/local/storage/storage-area'
import { CONVERSATION_HISTORY_KEY } from '../lib/local/storage/storage-keys'
import { type Figure, medianFigure } from './figure'

/**
 * The browser's data at its specified limit: a history of 4.5 MB in 1,000 conversations. Local storage is a map here,
 * so the time in which a browser copies texts is not included.
 */
const CONVERSATION_COUNT = 1_000
const REPEAT_COUNT = 50

function openRepository(text: string) {
  const area = createMemoryArea()
  area.setItem(CONVERSATION_HISTORY_KEY, text)
  const storage = createGuardedStorage(
    () => area,
    () => () => undefined,
    () => undefined,
  )
  return createConversationRepository({
    storage,
    now: () => new Date(),
    runExclusively: () => undefined,
    onOverflow: () => undefined,
  })
}

const WORDS =
  'coin paper copper forêt Straße señor perché answer question model price token cent night'.split(' ')

/** One of 1,000 conversations that together reach the specification's limit of 4.5 MB. */
function makeConversation(index: number): Conversation {
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

const makeHistory = () => Array.from({ length: CONVERSATION_COUNT }, (_, index) => makeConversation(index))

function time(what: string, run: (round: number) => void, atMost?: number): Figure {
  const times = Array.from({ length: REPEAT_COUNT }, (_, round) => {
    const start = performance.now()
    run(round)
    return performance.now() - start
  })
  return medianFigure(`history of 4.5 MB: ${what}, ms`, times, atMost)
}

export async function measureHistory(): Promise<Figure[]> {
  const text = JSON.stringify(makeHistory())
  const repository = openRepository(text)
  const list = repository.snapshot()
  const { search, prepare } = createHistorySearch()
  for (const conversation of list) prepare(conversation)
  const queries = [
    'foret',
    'strasse',
    'COPPER cent',
    'perche señor',
    'nowhere',
    'a',
    'conversation 7 nothing',
  ]
  const streaming = makeConversation(CONVERSATION_COUNT - 1)
  const growing = (round: number): Conversation => ({
    ...streaming,
    messages: [...streaming.messages, { role: 'assistant', content: 'word '.repeat(round * 400) }],
  })
  return [
    time(
      'opening',
      () => {
        if (openRepository(text).snapshot().length !== CONVERSATION_COUNT)
          throw new Error('not all were read')
      },
      100,
    ),
    time('search', round => void search(queries[round % queries.length] ?? '', list, []), 30),
    time('write while an answer streams in', round => void repository.saveDraft(growing(round), true), 16),
    time('write of a finished answer', round => void repository.save(growing(round), true)),
  ]
}
