import { type ReactNode, useEffect, useState } from 'react'
import { VisuallyHidden } from './visually-hidden'

/** Browsers gather changes for a screen reader about that long: words within it pass for a part of the region. */
const REGION_KNOWN_AFTER_MS = 150

/**
 * Tells its words whenever they change, once the reader has finished. Those it comes with it tells when it is known
 * itself: earlier, a screen reader would miss them.
 */
export function LiveRegion({ children }: { children: ReactNode }) {
  const isKnown = useKnownRegion(!children)
  return (
    <VisuallyHidden aria-live="polite" aria-atomic="true">
      {isKnown && children}
    </VisuallyHidden>
  )
}

/** Whether what is told in a region would be heard. One that is empty at first may be told anything later. */
export function useKnownRegion(isEmpty = false): boolean {
  const [isKnown, setKnown] = useState(isEmpty)
  useEffect(() => {
    if (isKnown) return
    const timer = setTimeout(() => setKnown(true), REGION_KNOWN_AFTER_MS)
    return () => clearTimeout(timer)
  }, [isKnown])
  return isKnown
}
