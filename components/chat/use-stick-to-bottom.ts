import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { keepReadingPlace, onKeepPlaces, type ReadingPlace, readPlace, showPlace } from './reading-places'
import { soughtStore } from './select-conversation'

/** So near the end counts as there: scrolling stops at fractions of pixels. */
const NEAR_PIXELS = 48

interface Reading {
  readonly conversationId: string
  /** Where it opens; null is the end. */
  readonly place: ReadingPlace | null
  /** Nothing of it is missing below. */
  readonly hasEnd: boolean
  /** It has made way for another one, and is on the page for a moment still. */
  readonly isLeft: boolean
}

/**
 * Keeps the end in view while it grows, as long as the reader is there. Reading further up is never
 * disturbed. A new value of `lastKey` (the last question's) goes to the end in any case where it has just been
 * sent, and otherwise, where another version is shown, stays. Where somebody was when the conversation made way
 * for another one is kept for when it is shown again.
 */
export function useStickToBottom(
  scrollerRef: RefObject<HTMLElement | null>,
  contentRef: RefObject<HTMLElement | null>,
  lastKey: string | undefined,
  isSending: boolean,
  { conversationId, place, hasEnd, isLeft }: Reading,
): { isAtBottom: boolean; jump: () => void } {
  const sticks = useRef(place === null)
  const lastTop = useRef(0)
  const [isAtBottom, setAtBottom] = useState(place === null)
  const opensAt = useRef(place)
  const isReadFromTop = useRef(false)

  const toEnd = useCallback(
    (scroller: HTMLElement) => {
      // What is read from its beginning grows below, and does not run away upwards.
      const content = contentRef.current
      const read = content && readFromTop(content)
      if (isReadFromTop.current && !read) {
        // One answer of several is left, perhaps long: where it was read is not its end.
        isReadFromTop.current = false
        sticks.current = isNearEnd(scroller)
        setAtBottom(sticks.current)
        return
      }
      isReadFromTop.current = Boolean(read)
      const end = content && read ? topOf(content, read) : scroller.scrollHeight
      scroller.scrollTop = Math.max(scroller.scrollTop, end)
      lastTop.current = scroller.scrollTop
    },
    [contentRef],
  )

  const jump = useCallback(() => {
    const scroller = scrollerRef.current
    if (!scroller) return
    sticks.current = true
    // Where all of it fits, nothing scrolls that would tell.
    setAtBottom(true)
    isReadFromTop.current = false
    toEnd(scroller)
  }, [scrollerRef, toEnd])

  const knownKey = useRef<string | undefined | null>(null)
  useLayoutEffect(() => {
    const scroller = scrollerRef.current
    if (!scroller || knownKey.current === lastKey) return
    const isOpening = knownKey.current === null
    knownKey.current = lastKey
    if (isOpening && opensAt.current) return showPlace(scroller, opensAt.current)
    if (isOpening || isSending) {
      // Before anything is painted: to know at once where the end is, all would be laid out in the task that draws it.
      if (soughtStore.getSnapshot() === null) requestAnimationFrame(jump)
      else jump()
      return
    }
    sticks.current = isNearEnd(scroller)
    setAtBottom(sticks.current)
  }, [scrollerRef, jump, lastKey, isSending])

  useLayoutEffect(() => {
    const scroller = scrollerRef.current
    if (!scroller || isLeft) return
    const keep = () => {
      // Else it was kept when its page was left.
      if (!scroller.isConnected) return
      const content = contentRef.current
      const read = content && readFromTop(content)
      // It opens at its beginning, and so somebody further down is not where it opens.
      const isFurther = content && read && scroller.scrollTop > topOf(content, read) + 1
      keepReadingPlace(conversationId, sticks.current && !isFurther ? null : readPlace(scroller))
    }
    const forget = onKeepPlaces(keep)
    return () => {
      forget()
      // Still on the page, but not for long.
      keep()
    }
  }, [scrollerRef, contentRef, conversationId, isLeft])

  useEffect(() => {
    const scroller = scrollerRef.current
    const content = contentRef.current
    if (!scroller || !content) return
    const onScroll = () => {
      const isNear = hasEnd && isNearEnd(scroller)
      // What grew since, a picture for one, is not the reader going up.
      if (isNear || scroller.scrollTop < lastTop.current) sticks.current = isNear
      lastTop.current = scroller.scrollTop
      setAtBottom(sticks.current)
    }
    // The composer growing makes the scroller smaller; the end has to stay in view then, too.
    const observer = new ResizeObserver(() => {
      if (sticks.current) toEnd(scroller)
    })
    observer.observe(content)
    observer.observe(scroller)
    scroller.addEventListener('scroll', onScroll, { passive: true })
    return () => {
      observer.disconnect()
      scroller.removeEventListener('scroll', onScroll)
    }
  }, [scrollerRef, contentRef, toEnd, hasEnd])

  return { isAtBottom, jump }
}

/**
 * What is read from its beginning, if that stands at the end. It is looked for with every line that comes, and so
 * not in the answers themselves.
 */
function readFromTop(content: HTMLElement): HTMLElement | null {
  let group = content.lastElementChild
  while (group?.hasAttribute('inert')) group = group.previousElementSibling
  for (const part of group?.children ?? []) {
    if (part instanceof HTMLElement && part.dataset.staysInView !== undefined) return part
  }
  return null
}

const topOf = (content: HTMLElement, read: HTMLElement): number => content.offsetTop + read.offsetTop

function isNearEnd({ scrollHeight, scrollTop, clientHeight }: HTMLElement): boolean {
  return scrollHeight - scrollTop - clientHeight < NEAR_PIXELS
}
