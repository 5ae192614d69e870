'use client'

import { type ComponentProps, useEffect, useRef } from 'react'

/**
 * The heading of the row where the further models begin. It takes the focus from the link that led here, which is gone:
 * the browser moves it only when it loads a page.
 */
export function MoreHeading({ id, ...heading }: ComponentProps<'th'> & { id: string }) {
  const element = useRef<HTMLTableCellElement>(null)
  useEffect(() => {
    if (window.location.hash === `#${id}`) element.current?.focus()
  }, [id])
  return <th {...heading} ref={element} id={id} tabIndex={-1} />
}
