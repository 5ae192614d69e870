import type { ReactNode } from 'react'
import { VisuallyHidden } from './visually-hidden'

interface LiveRegionProps {
  /** Changing the text announces it; polite waits for the reader to finish, assertive does not. */
  children: ReactNode
  assertive?: boolean
}

/** Must be on the page before its text changes, or screen readers miss the first change. */
export function LiveRegion({ children, assertive = false }: LiveRegionProps) {
  return (
    <VisuallyHidden aria-live={assertive ? 'assertive' : 'polite'} aria-atomic="true">
      {children}
    </VisuallyHidden>
  )
}
