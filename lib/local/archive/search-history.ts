import { conversationText } from '../conversations/conversation-text'
import type { Conversation } from '../domain/conversation'
import type { ArchivedSummary } from './archive-database'
import { excerptOf } from './excerpt'
import { foldQuery, foldText } from './fold-text'
import { type HistoryEntry, mergeEntries } from './history-entry'

export interface SearchResult {
  entry: HistoryEntry
  /** Where it was found, in the words of the conversation. */
  excerpt: string
}

/** More results than this are not looked through; another word finds better. */
const RESULT_COUNT_MAX = 50

interface IndexedText {
  text: string
  folded: string
}

export interface HistorySearch {
  search(
    query: string,
    conversations: readonly Conversation[],
    archived: readonly ArchivedSummary[],
  ): SearchResult[]
  /** Prepares one text, so that no search has to wait for it. */
  prepare(source: Conversation | ArchivedSummary): void
}

/** Searches what the list shows. A text is folded once and kept as long as its conversation is. */
export function createHistorySearch(): HistorySearch {
  const index = new WeakMap<Conversation | ArchivedSummary, IndexedText>()

  function textOf(source: Conversation | ArchivedSummary): IndexedText {
    const known = index.get(source)
    if (known) return known
    const text = 'messages' in source ? conversationText(source) : `${source.title}\n${source.text}`
    const indexed = { text, folded: foldText(text) }
    index.set(source, indexed)
    return indexed
  }

  return {
    prepare: source => void textOf(source),
    search(query, conversations, archived) {
      const terms = foldQuery(query)
      const [firstTerm] = terms
      if (firstTerm === undefined) return []
      const local = new Map(conversations.map(item => [item.id, item]))
      const elsewhere = new Map(archived.map(item => [item.id, item]))
      const results: SearchResult[] = []
      for (const entry of mergeEntries(conversations, archived)) {
        const source = entry.isArchived ? elsewhere.get(entry.id) : local.get(entry.id)
        if (!source) continue
        const { text, folded } = textOf(source)
        if (!terms.every(term => folded.includes(term))) continue
        results.push({ entry, excerpt: excerptOf(text, folded, firstTerm) })
        if (results.length === RESULT_COUNT_MAX) break
      }
      return results
    },
  }
}
