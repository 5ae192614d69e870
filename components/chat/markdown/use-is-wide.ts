import { type RefObject, useEffect, useState } from 'react'

/**
 * Whether what is in the scroller is wider than it: only then is it a stop for the keyboard, which has to scroll it
 * sideways.
 */
export function useIsWide(scrollerRef: RefObject<HTMLElement | null>): boolean {
  const [isWide, setWide] = useState(false)
  useEffect(() => {
    const scroller = scrollerRef.current
    const content = scroller?.firstElementChild
    if (!scroller || !content || typeof ResizeObserver === 'undefined') return
    const observer = new ResizeObserver(() => setWide(scroller.scrollWidth > scroller.clientWidth))
    observer.observe(scroller)
    observer.observe(content)
    return () => observer.disconnect()
  }, [scrollerRef])
  return isWide
}
