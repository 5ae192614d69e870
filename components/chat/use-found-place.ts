import { type RefObject, useEffect } from 'react'
import { useStore } from '@/components/ui/use-store'
import { foldQuery, foldText } from '@/lib/local/domain/fold-text'
import { openedSearchStore } from './select-conversation'

/** Long enough to be noticed, short enough not to be taken for part of the text. */
const MARKED_MS = 2_500

/**
 * Scrolls to a search result once, and marks it for a moment.
 *
 * @param conversationId null if the conversation is no longer shown
 */
export function useFoundPlace(
  contentRef: RefObject<HTMLElement | null>,
  conversationId: string | null,
): void {
  const search = useStore(openedSearchStore)
  useEffect(() => {
    if (search?.conversationId !== conversationId || !contentRef.current) return
    openedSearchStore.set(null)
    const place = findPlace(contentRef.current, search.query)
    if (!place) return
    // As the browser's own search does, which unfolds what is hidden until it is found.
    place.dispatchEvent(new Event('beforematch', { bubbles: true }))
    place.removeAttribute('hidden')
    place.scrollIntoView({ block: 'center' })
    if (place.offsetHeight > innerHeight) scrollToWord(contentRef.current, place, search.query)
    place.dataset.found = ''
    setTimeout(() => {
      delete place.dataset.found
    }, MARKED_MS)
  }, [search, conversationId, contentRef])
}

/**
 * The block with the first word of the query, in the message that contains most of its words; null if there is none.
 */
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
  const blocks = article.querySelectorAll<HTMLElement>('p, [hidden], li, pre, tr, h3, h4, h5, h6')
  // Of nested blocks, such as a list and its item, the innermost comes last.
  const holding = [...blocks].filter(block => foldText(block.textContent).includes(term))
  return holding.find(block => !holding.some(other => other !== block && block.contains(other))) ?? null
}

/** In a text of several screens, such as a pasted document, the word may be far from the middle. */
function scrollToWord(content: HTMLElement, place: HTMLElement, query: string): void {
  const [term = ''] = foldQuery(query)
  const texts = document.createTreeWalker(place, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const text = texts.currentNode
    const end = firstEnd(text.nodeValue ?? '', term)
    if (end === null) continue
    const word = document.createRange()
    word.setStart(text, end - 1)
    word.setEnd(text, end)
    content.parentElement?.scrollBy(0, word.getBoundingClientRect().top - innerHeight / 2)
    return
  }
}

/** Where a folded term first ends in a text, by halves, since folding may change lengths; null if it is not there. */
function firstEnd(text: string, term: string): number | null {
  const includesUpTo = (end: number) => foldText(text.slice(0, end)).includes(term)
  if (!includesUpTo(text.length)) return null
  let [low, high] = [1, text.length]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (includesUpTo(middle)) high = middle
    else low = middle + 1
  }
  return high
}
