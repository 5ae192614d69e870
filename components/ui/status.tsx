import type { ComponentProps, ElementType } from 'react'
import { useRegionReady } from './live-region'

interface StatusProps extends ComponentProps<'p'> {
  as?: ElementType
}

/**
 * A status that is seen and announced. Its space is reserved at once, but the text shows only when screen readers would
 * announce it.
 */
export function Status({ as: Element = 'p', children, ...rest }: StatusProps) {
  const visibility = useRegionReady() ? undefined : 'hidden'
  return (
    <Element {...rest} role="status">
      <span style={{ display: 'contents', visibility }}>{children}</span>
    </Element>
  )
}
