import { cutText } from '@/lib/http/domain/cut-text'
import { oncePer } from '@/lib/http/domain/once-per'
import { withoutMarks } from '@/lib/markdown/domain/plain-line'
import { conversationText } from '../conversations/conversation-text'
import type { Conversation } from '../domain/conversation'
import { foldQuery, foldText } from '../domain/fold-text'
import type { ArchivedSummary } from './archive-database'
import { type HistoryEntry, mergeEntries } from './history-entry'

export interface SearchResult {
  entry: HistoryEntry
  /** The text around the match, as it stands in the conversation; empty if the title already shows it. */
  excerpt: string
}

/** No more results are collected; another word finds better ones. */
const RESULT_COUNT_MAX = 50

export interface HistorySearch {
  search(
    query: string,
    conversations: readonly Conversation[],
    archived: readonly ArchivedSummary[],
  ): SearchResult[]
  /** Prepares one text, so that no search has to wait for it. */
  prepare(source: Conversation | ArchivedSummary): void
}

/** Searches everything in the list. A text is folded once and kept as long as its conversation. */
export function createHistorySearch(): HistorySearch {
  const textOf = oncePer((source: Conversation | ArchivedSummary) => {
    const text = 'messages' in source ? conversationText(source) : source.text
    return { text, folded: foldText(text) }
  })

  return {
    prepare: source => void textOf(source),
    search(query, conversations, archived) {
      const terms = foldQuery(query)
      if (terms.length === 0) return []
      const local = new Map(conversations.map(item => [item.id, item]))
      const elsewhere = new Map(archived.map(item => [item.id, item]))
      const results: SearchResult[] = []
      for (const entry of mergeEntries(conversations, archived)) {
        const source = entry.isArchived ? elsewhere.get(entry.id) : local.get(entry.id)
        if (!source) continue
        const { text, folded } = textOf(source)
        if (!terms.every(term => folded.includes(term))) continue
        // The excerpt is shown below the title, or as much of it as there is room for.
        const title = entry.title.replace(/…$/, '')
        const from = text.startsWith(title) ? foldText(title).length : 0
        // Of several words, the one that comes last for the first time is the rarest, and tells the most.
        const [rarest = ''] = terms.toSorted((a, b) => folded.indexOf(b, from) - folded.indexOf(a, from))
        results.push({ entry, excerpt: excerptOf(text, folded, rarest, from) })
        if (results.length === RESULT_COUNT_MAX) break
      }
      return results
    },
  }
}

/** A line of the list shows about thirty characters, and the match has to be among them. */
const LENGTH_BEFORE = 12
const LENGTH_AFTER = 90

/** Marks that an excerpt has only one of; asterisks between two factors are kept. */
const SINGLE_MARKS = /(\b\*\*\b)|^(?:#+|>) |`|\*\*|~~|\B\*\b|\b\*\B/g
/** Links that the ends of an excerpt cut in two. */
const LINK_END = /^([^[\]\n]*)\]\([^()\s]*\)/
const LINK_BEGINNING = /!?\[([^[\]\n]*)(?:\](?:\([^()\s]*)?)?$/
/** The line below the head of a table. */
const TABLE_RULE = /^[\s|:-]*\|[\s|:-]*$/
const TABLE_ROW = /^\s*\||\|\s*$/

/** A line of an excerpt, or the part of it that is shown, as it reads. */
function readLine(line: string): string {
  if (TABLE_RULE.test(line)) return ''
  const cells = TABLE_ROW.test(line) ? line.split('|') : [line]
  return cells
    .map(cell => withoutMarks(cell).replace(SINGLE_MARKS, '$1'))
    .filter(Boolean)
    .join(' · ')
}

/** The first match at or after a position, with a little of the surrounding text. */
export function excerptOf(text: string, foldedText: string, foldedTerm: string, from = 0): string {
  const at = foldedText.indexOf(foldedTerm, from)
  if (at === -1) return ''
  // Folding rarely changes the length of a text; if it does, the position is scaled accordingly.
  const center = Math.round(at * (text.length / foldedText.length))
  const earliest = Math.max(0, center - LENGTH_BEFORE)
  // Begins at the start of a word, if there is one.
  const wordAt = text.slice(Math.max(0, earliest - 1), center + 1).search(/\s\S/)
  const start = earliest === 0 ? 0 : earliest + Math.max(0, wordAt)
  const end = Math.min(text.length, center + LENGTH_AFTER)
  const written = cutText(text.slice(start), end - start)
  const headed = start > 0 ? written.replace(LINK_END, '$1') : written
  const whole = end < text.length ? headed.replace(LINK_BEGINNING, '$1') : headed
  const read = whole.split('\n').map(readLine).filter(Boolean).join(' ')
  const found = foldText(read).includes(foldedTerm) ? read : written
  const middle = found.replace(/\s+/g, ' ').trim()
  return `${start > 0 ? '…' : ''}${middle}${end < text.length ? '…' : ''}`
}

interface Piece {
  text: string
  isHit: boolean
}

/**
 * Splits a short text where matches of a query begin and end; each match is as it stands in the text, accents included.
 */
export function splitAtHits(text: string, query: string): Piece[] {
  const characters = [...text]
  // Folding turns a character into none, one or two, so each folded one remembers its origin.
  const origins = characters.flatMap((character, index) => Array(foldText(character).length).fill(index))
  const folded = characters.map(foldText).join('')
  const isHit = new Set<number>()
  for (const term of foldQuery(query)) {
    for (let at = folded.indexOf(term); at !== -1; at = folded.indexOf(term, at + 1)) {
      const end = origins[at + term.length] ?? characters.length
      for (let index = origins[at]; index < end; index += 1) isHit.add(index)
    }
  }
  const pieces: Piece[] = []
  for (const [index, character] of characters.entries()) {
    const last = pieces.at(-1)
    if (last?.isHit === isHit.has(index)) last.text += character
    else pieces.push({ text: character, isHit: isHit.has(index) })
  }
  return pieces
}
