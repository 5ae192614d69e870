'use client'

import { usePathname } from 'next/navigation'
import { useEffect, useRef } from 'react'
import { focusAfterRender, hasCoarsePointer, MESSAGE_BOX_ID } from '@/components/ui/focus'

/**
 * After a change of page, gives the focus to what the address names, or to where one writes or begins to read;
 * it would stay on a link beside the page, or nowhere.
 */
export function PageFocus() {
  const pathname = usePathname()
  const seen = useRef(pathname)
  useEffect(() => {
    if (seen.current === pathname) return
    seen.current = pathname
    const box = hasCoarsePointer() ? [] : [`#${MESSAGE_BOX_ID}`]
    const sought = window.location.hash.slice(1)
    const section = sought === '' ? [] : [`main [id=${JSON.stringify(sought)}] h2`]
    focusAfterRender(...section, ...box, 'main h1')
  }, [pathname])
  return null
}
