import type { ComponentProps, ElementType } from 'react'
import { useRegionReady } from './live-region'
import styles from './status.module.css'

interface StatusProps extends ComponentProps<'p'> {
  as?: ElementType
}

/**
 * A status that is seen and announced. Its space is reserved at once, but the text shows only when screen readers would
 * announce it.
 */
export function Status({ as: Element = 'p', children, ...rest }: StatusProps) {
  const isReady = useRegionReady()
  return (
    <Element {...rest} role="status">
      {/* The policy would refuse a style attribute in the page that the server sends. */}
      <span className={styles.text} data-waiting={isReady ? undefined : true}>
        {children}
      </span>
    </Element>
  )
}
