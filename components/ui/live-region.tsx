import { type ReactNode, useEffect, useState } from 'react'
import { VisuallyHidden } from './visually-hidden'

/** Browsers gather changes for a screen reader about that long: words within it pass for a part of the region. */
const REGION_KNOWN_AFTER_MS = 150

/**
 * Tells its words whenever they change, once the reader has finished. Those it comes with it tells when it is known
 * itself: earlier, a screen reader would miss them.
 */
export function LiveRegion({ children }: { children: ReactNode }) {
  const [isKnown, setKnown] = useState(!children)
  useEffect(() => {
    if (isKnown) return
    const timer = setTimeout(() => setKnown(true), REGION_KNOWN_AFTER_MS)
    return () => clearTimeout(timer)
  }, [isKnown])
  return (
    <VisuallyHidden aria-live="polite" aria-atomic="true">
      {isKnown && children}
    </VisuallyHidden>
  )
}
