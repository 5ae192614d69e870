import { type ReactNode, useEffect, useState } from 'react'
import { VisuallyHidden } from './visually-hidden'

/**
 * Browsers batch changes for screen readers about this long; text set earlier counts as the region's initial content.
 */
const REGION_KNOWN_AFTER_MS = 150

/**
 * Announces its text politely whenever it changes. Its initial text is rendered only once screen readers know the
 * region, since they would otherwise miss it.
 */
export function LiveRegion({ children }: { children: ReactNode }) {
  const isKnown = useKnownRegion(!children)
  return (
    <VisuallyHidden aria-live="polite" aria-atomic="true">
      {isKnown && children}
    </VisuallyHidden>
  )
}

/**
 * Whether a screen reader would announce text in the region by now. A region that starts empty can take text at any
 * time.
 */
export function useKnownRegion(isEmpty = false): boolean {
  const [isKnown, setKnown] = useState(isEmpty)
  useEffect(() => {
    if (isKnown) return
    const timer = setTimeout(() => setKnown(true), REGION_KNOWN_AFTER_MS)
    return () => clearTimeout(timer)
  }, [isKnown])
  return isKnown
}
