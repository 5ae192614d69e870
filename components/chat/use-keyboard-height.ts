import { type RefObject, useEffect } from 'react'

/**
 * Tells an element's styles how much of the window an on-screen keyboard covers. iOS lays the page out as
 * if there were none; elsewhere the window itself gets smaller, and the difference is zero.
 */
export function useKeyboardHeight(ref: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const viewport = window.visualViewport
    if (!viewport) return
    const update = () => {
      // Zooming makes the visual viewport smaller, too, but covers nothing.
      const covered = viewport.scale > 1 ? 0 : Math.max(0, window.innerHeight - viewport.height)
      ref.current?.style.setProperty('--keyboard-height', `${Math.round(covered)}px`)
    }
    viewport.addEventListener('resize', update)
    return () => viewport.removeEventListener('resize', update)
  }, [ref])
}
