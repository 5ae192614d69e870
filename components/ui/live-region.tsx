import { type ReactNode, useEffect, useState } from 'react'
import { VisuallyHidden } from './visually-hidden'

/**
 * Browsers batch changes for screen readers about this long; text set earlier counts as the region's initial content.
 */
const REGION_READY_AFTER_MS = 150

/**
 * Announces its text politely whenever it changes. Its initial text is rendered only once screen readers know the
 * region, since they would otherwise miss it.
 */
export function LiveRegion({ children }: { children: ReactNode }) {
  const isReady = useRegionReady(!children)
  return (
    <VisuallyHidden aria-live="polite">
      {isReady && (typeof children === 'string' ? <Announcement text={children} /> : children)}
    </VisuallyHidden>
  )
}

/**
 * A text in a live region, for components that are rendered there. Each text is an element of its own: if one text
 * became another, a screen reader that is behind with a busy page would read the last one as often as it has changed.
 */
export function Announcement({ text, children = text }: { text: string; children?: ReactNode }) {
  return <span key={text}>{children}</span>
}

/**
 * Whether a screen reader would announce text in the region by now. A region that starts empty can take text at any
 * time.
 */
export function useRegionReady(isEmpty = false): boolean {
  const [isReady, setReady] = useState(isEmpty)
  useEffect(() => {
    if (isReady) return
    const timer = setTimeout(() => setReady(true), REGION_READY_AFTER_MS)
    return () => clearTimeout(timer)
  }, [isReady])
  return isReady
}
