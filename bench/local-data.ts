/**
 * The browser's data at its specified limit: a history of 4.5 MB in 1,000 conversations. Prints what
 * opening, searching and writing take, beside their budgets. Local storage is a map here, so
 * the browser's own copying of texts comes on top: `local-data-browser.ts` measures the page itself.
 */

import { createHistorySearch } from '../lib/local/archive/search-history'
import { createConversationRepository } from '../lib/local/conversations/conversation-repository'
import type { Conversation } from '../lib/local/domain/conversation'
import { createGuardedStorage } from '../lib/local/storage/guarded-storage'
import { STORAGE_WARNING_BYTES } from '../lib/local/storage/limits'
import { createMemoryArea } from '../lib/local/storage/storage-area'
import { CONVERSATION_HISTORY_KEY } from '../lib/local/storage/storage-keys'
import { CONVERSATION_COUNT, makeConversation, makeHistory } from './local-data-history'

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

function measure(label: string, budget: string, run: (round: number) => void, roundCount = REPEAT_COUNT) {
  const times = Array.from({ length: roundCount }, (_, round) => {
    const start = performance.now()
    run(round)
    return performance.now() - start
  }).sort((left, right) => left - right)
  const at = (share: number) => (times[Math.floor((times.length - 1) * share)] ?? 0).toFixed(2)
  console.log(
    `${label.padEnd(36)} p50 ${at(0.5).padStart(7)} ms   p95 ${at(0.95).padStart(7)} ms   budget ${budget}`,
  )
}

const conversations = makeHistory()
const text = JSON.stringify(conversations)
console.log(
  `history: ${text.length} of ${STORAGE_WARNING_BYTES} bytes in ${CONVERSATION_COUNT} conversations\n`,
)

measure('open the history', '< 100 ms', () => {
  if (openRepository(text).snapshot().length !== CONVERSATION_COUNT) throw new Error('not all were read')
})

const repository = openRepository(text)
const list = repository.snapshot()
const { search, prepare } = createHistorySearch()
measure('prepare one text for the search', '-', round => prepare(list[round] ?? makeConversation(round)))
measure('search before it is prepared', '-', () => search('nowhere', list, []), 1)
const queries = ['foret', 'strasse', 'COPPER cent', 'perche señor', 'nowhere', 'a', 'conversation 7 nothing']
measure('search', '< 30 ms', round => {
  search(queries[round % queries.length] ?? '', list, [])
})

const streaming = makeConversation(CONVERSATION_COUNT - 1)
measure('first write of the list', '-', () => repository.save(streaming, true), 1)
const growing = (round: number): Conversation => ({
  ...streaming,
  messages: [...streaming.messages, { role: 'assistant', content: 'word '.repeat(round * 400) }],
})
measure('write while an answer streams in', '< 16 ms', round => {
  repository.saveDraft(growing(round), true)
})
measure('write of a finished answer', '-', round => {
  repository.save(growing(round), true)
})
