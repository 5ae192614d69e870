import type { ComponentProps, ElementType } from 'react'
import { useKnownRegion } from './live-region'

interface StatusProps extends ComponentProps<'p'> {
  as?: ElementType
}

/** How something stands, seen and heard. It takes its place at once; its words show when they would be heard. */
export function Status({ as: Element = 'p', children, ...rest }: StatusProps) {
  const visibility = useKnownRegion() ? undefined : 'hidden'
  return (
    <Element {...rest} role="status">
      <span style={{ display: 'contents', visibility }}>{children}</span>
    </Element>
  )
}
