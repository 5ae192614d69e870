import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { keepReadingPlace, onKeepPlaces, type ReadingPlace, readPlace, showPlace } from './reading-places'
import { createScrollAnchor } from './scroll-anchor'
import { openedSearchStore } from './select-conversation'

/** Distances that count as being at the end, since scrolling stops at fractions of pixels. */
const NEAR_PIXELS = 48

interface Reading {
  readonly conversationId: string
  /** Where it opens; null for the end. */
  readonly place: ReadingPlace | null
  /** Nothing is missing at the end. */
  readonly hasEnd: boolean
  /** Another conversation is shown, and this one is mounted for a moment more. */
  readonly isLeft: boolean
}

/**
 * Keeps the end in view while it grows, as long as the reader is there; reading further up is never disturbed, nor is
 * what the reader has just opened: with a control that has `data-opens-to-read`, or by the browser's search. When
 * `lastKey`, the id of the last question, changes because one was just sent, it scrolls to the end; when another
 * version is shown, it stays. The reading position is stored when another conversation is shown.
 */
export function useStickToBottom(
  scrollerRef: RefObject<HTMLElement | null>,
  contentRef: RefObject<HTMLElement | null>,
  lastKey: string | undefined,
  isSending: boolean,
  { conversationId, place, hasEnd, isLeft }: Reading,
): { isAtBottom: boolean; jump: () => void } {
  const sticks = useRef(place === null)
  const last = useRef({ top: 0, end: 0 })
  const [isAtBottom, setAtBottom] = useState(place === null)
  const opensAt = useRef(place)
  const isReadFromTop = useRef(false)
  const anchor = useRef<ReturnType<typeof createScrollAnchor>>(null)

  const toEnd = useCallback(
    (scroller: HTMLElement) => {
      // Content that is read from its top grows below, and must not scroll away.
      const content = contentRef.current
      const read = content && readFromTop(content)
      if (isReadFromTop.current && !read) {
        // Only one of several answers remains, perhaps a long one, so the reader may not be at its end.
        isReadFromTop.current = false
        sticks.current = isNearEnd(scroller)
        setAtBottom(sticks.current)
        return
      }
      isReadFromTop.current = Boolean(read)
      const end = content && read ? topOf(content, read) : scroller.scrollHeight
      scroller.scrollTop = Math.max(scroller.scrollTop, end)
      last.current = placeOf(scroller)
    },
    [contentRef],
  )

  const jump = useCallback(() => {
    const scroller = scrollerRef.current
    if (!scroller) return
    sticks.current = true
    // If everything fits, no scroll event will tell.
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
      // In the next frame, since asking for the end now would force the layout of everything in the task that renders
      // it.
      if (openedSearchStore.getSnapshot() === null) requestAnimationFrame(jump)
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
      // Otherwise it was stored when its page was left.
      if (!scroller.isConnected) return
      const content = contentRef.current
      const read = content && readFromTop(content)
      // It opens at its top, so a reader further down is not where it would open.
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
    anchor.current ??= createScrollAnchor(scroller, content)
    let isMoved = false
    const onMove = () => {
      isMoved = true
    }
    // A finger that has not got far yet would be pulled back by every new line, however long it goes on.
    let isDragged = false
    const onTouch = ({ type }: Event) => {
      isDragged = type === 'touchmove'
    }
    const keepInPlace = (isJump = false) => {
      // What was read before a jump is out of view.
      if (!sticks.current && !isJump) anchor.current?.hold()
      last.current = placeOf(scroller)
      isMoved = false
      anchor.current?.note()
    }
    const onScroll = () => {
      const isNear = hasEnd && isNearEnd(scroller)
      // Growth of the content, such as a loaded picture, is not the reader scrolling up, even if the content was lower
      // for a moment before, and the browser therefore scrolled up. Further than a screen it is the reader, by the
      // scrollbar, the browser's search or a screen reader; what is laid out there then changes the height, too.
      const { top, end } = placeOf(scroller)
      const upwards = last.current.top - top
      const isJump = Math.abs(upwards) > scroller.clientHeight
      if (isNear || (upwards > 0 && (isMoved || isJump || end === last.current.end))) sticks.current = isNear
      keepInPlace(isJump)
      setAtBottom(sticks.current)
    }
    // A growing composer shrinks the scroller, and the end has to stay in view then too.
    const observer = new ResizeObserver(() => {
      if (sticks.current && !isDragged) toEnd(scroller)
      keepInPlace()
      if (!sticks.current) setAtBottom(hasEnd && isNearEnd(scroller))
    })
    const onFound = () => {
      sticks.current = false
    }
    const onPress = ({ target }: Event) => {
      if (target instanceof Element && target.closest('[data-opens-to-read]')) sticks.current = false
    }
    observer.observe(content)
    observer.observe(scroller)
    const listening = new AbortController()
    const { signal } = listening
    scroller.addEventListener('scroll', onScroll, { passive: true, signal })
    for (const move of ['wheel', 'touchmove', 'keydown'])
      scroller.addEventListener(move, onMove, { passive: true, signal })
    for (const touch of ['touchmove', 'touchend', 'touchcancel'])
      scroller.addEventListener(touch, onTouch, { passive: true, signal })
    content.addEventListener('beforematch', onFound, { signal })
    content.addEventListener('click', onPress, { signal })
    return () => {
      observer.disconnect()
      listening.abort()
    }
  }, [scrollerRef, contentRef, toEnd, hasEnd])

  return { isAtBottom, jump }
}

/**
 * The last element, if it is read from its top (a comparison). Called for every new line, so the answers themselves are
 * not searched.
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

const placeOf = ({ scrollTop, scrollHeight, clientHeight }: HTMLElement) => ({
  top: scrollTop,
  end: scrollHeight - clientHeight,
})

function isNearEnd({ scrollHeight, scrollTop, clientHeight }: HTMLElement): boolean {
  return scrollHeight - scrollTop - clientHeight < NEAR_PIXELS
}
