import { type RefObject, useEffect } from 'react'
import { useStore } from '@/components/ui/use-store'
import { foldQuery, foldText } from '@/lib/local/archive/search-history'
import { soughtStore } from './select-conversation'

/** Long enough to be seen, short enough not to be taken for something said. */
const MARKED_MS = 2_500

/**
 * Brings what a search has found into view, once, and marks it for a moment.
 *
 * @param conversationId null: the one that was shown has been left
 */
export function useFoundPlace(
  contentRef: RefObject<HTMLElement | null>,
  conversationId: string | null,
): void {
  const sought = useStore(soughtStore)
  useEffect(() => {
    if (sought?.conversationId !== conversationId || !contentRef.current) return
    soughtStore.set(null)
    const place = findPlace(contentRef.current, sought.query)
    if (!place) return
    place.scrollIntoView({ block: 'center' })
    place.dataset.found = ''
    setTimeout(() => {
      delete place.dataset.found
    }, MARKED_MS)
  }, [sought, conversationId, contentRef])
}

/** The block with the first word of the query, in the message that has most of its words; null when none has. */
function findPlace(content: HTMLElement, query: string): HTMLElement | null {
  const terms = foldQuery(query)
  const [firstTerm] = terms
  if (firstTerm === undefined) return null
  let best: { article: HTMLElement; count: number } | null = null
  for (const article of content.querySelectorAll('article')) {
    const text = foldText(article.textContent)
    const count = terms.filter(term => text.includes(term)).length
    if (count > (best?.count ?? 0)) best = { article, count }
  }
  return best && (findBlock(best.article, firstTerm) ?? best.article)
}

function findBlock(article: HTMLElement, term: string): HTMLElement | null {
  const blocks = article.querySelectorAll<HTMLElement>('p, li, pre, tr, h3, h4, h5, h6')
  // The innermost of those that hold it comes last of them in a row: a list before its item.
  const holding = [...blocks].filter(block => foldText(block.textContent).includes(term))
  return holding.find(block => !holding.some(other => other !== block && block.contains(other))) ?? null
}
