import { asText, isObject, listOf } from '@/lib/http/domain/is-object'
import { type Citation, EXTRAS_MAX, type Timing, type ToolCall } from '@/lib/local/domain/conversation'

/** What comes with an answer besides its text: sources, tools that its host used, and how long it took. */

const TITLE_LENGTH_MAX = 300
const TOOL_NAME_LENGTH_MAX = 100

/**
 * Sources in the forms that hosts send: `url_citation` annotations in a delta or a message, a bare list of addresses
 * beside it, or the results of a search.
 */
export function readCitations(chunk: Record<string, unknown>, said: Record<string, unknown>): Citation[] {
  const annotated = listOf(said.annotations).map(note =>
    isObject(note) ? (note.url_citation ?? note) : note,
  )
  return [...annotated, ...listOf(chunk.search_results), ...listOf(chunk.citations)].flatMap(readCitation)
}

function readCitation(value: unknown): Citation[] {
  const { url, title } = isObject(value) ? value : { url: value, title: undefined }
  if (typeof url !== 'string' || url === '' || url.length > EXTRAS_MAX.citationLength) return []
  const isTitled = typeof title === 'string' && title.trim() !== ''
  return [
    {
      type: 'url_citation',
      url_citation: { url, ...(isTitled && { title: title.trim().slice(0, TITLE_LENGTH_MAX) }) },
    },
  ]
}

/** Each address once, with its first title. */
export function addCitations(known: readonly Citation[], added: readonly Citation[]): readonly Citation[] {
  if (added.length === 0) return known
  const byAddress = new Map(known.map(citation => [citation.url_citation.url, citation]))
  for (const citation of added) {
    const { url } = citation.url_citation
    const before = byAddress.get(url)
    if (before?.url_citation.title === undefined) byAddress.set(url, citation)
  }
  return [...byAddress.values()].slice(0, EXTRAS_MAX.citations)
}

/** A piece of a call, and the number of the call that it belongs to. */
interface ToolCallPiece {
  readonly index: number
  readonly call: ToolCall
}

export function readToolCalls(said: Record<string, unknown>): ToolCallPiece[] {
  return listOf(said.tool_calls).flatMap((piece, place) => {
    if (!isObject(piece) || !isObject(piece.function)) return []
    const { name, arguments: given } = piece.function
    const index = Number.isSafeInteger(piece.index) ? Number(piece.index) : place
    const call: ToolCall = { type: 'function', function: { name: asText(name), arguments: asText(given) } }
    return index >= 0 && index < EXTRAS_MAX.toolCalls ? [{ index, call }] : []
  })
}

/** A call's name comes first, and then what it was called with, piece by piece. */
export function addToolCalls(
  known: readonly ToolCall[],
  pieces: readonly ToolCallPiece[],
): readonly ToolCall[] {
  if (pieces.length === 0) return known
  const calls = [...known]
  for (const { index, call } of pieces) {
    const before = calls[index]?.function ?? { name: '', arguments: '' }
    // If a host leaves the number out, the position counts.
    calls[Math.min(index, calls.length)] = {
      type: 'function',
      function: {
        name: `${before.name}${call.function.name}`.slice(0, TOOL_NAME_LENGTH_MAX),
        arguments: `${before.arguments}${call.function.arguments}`.slice(0, EXTRAS_MAX.toolLength),
      },
    }
  }
  return calls
}

/** Times an answer from its request to its last word. Not known for one that is fetched again after a reload. */
export function createStopwatch(now: () => number) {
  let startedAt: number | null = null
  let firstAt: number | null = null
  let wordsAt: number | null = null
  let lastAt = 0
  let seenLength = 0
  return {
    start(): void {
      startedAt ??= now()
    },
    look({ text, reasoning }: { text: string; reasoning: string }): void {
      const length = text.length + reasoning.length
      if (length <= seenLength) return
      seenLength = length
      lastAt = now()
      firstAt ??= lastAt
      if (text !== '') wordsAt ??= lastAt
    },
    /** With the reasoning's share where there was any. */
    read({ reasoning }: { reasoning: string }): Timing | undefined {
      if (startedAt === null || firstAt === null) return undefined
      const reasoningMs = (wordsAt ?? lastAt) - firstAt
      return {
        first_token_ms: Math.max(0, firstAt - startedAt),
        total_ms: Math.max(0, lastAt - startedAt),
        ...(reasoning !== '' && { reasoning_ms: Math.max(0, reasoningMs) }),
      }
    },
  }
}
