'use client'

import { usePathname } from 'next/navigation'
import { useEffect, useRef } from 'react'
import { focusAfterRender, hasCoarsePointer, MESSAGE_BOX_ID } from '@/components/ui/focus'
import { isChatAddress } from '@/lib/i18n/chat-address'

/**
 * After a change of page, gives the focus to what the address names, or to where one writes or begins to read;
 * it would stay on a link beside the page, or nowhere. On the first page, to what the address names alone: the
 * browser has looked for it before what this browser keeps came in above.
 */
export function PageFocus() {
  const pathname = usePathname()
  const seen = useRef<string | null>(null)
  useEffect(() => {
    const before = seen.current
    if (before === pathname) return
    seen.current = pathname
    const sought = window.location.hash.slice(1)
    const section = `main [id=${JSON.stringify(sought)}] h2`
    if (before === null) {
      requestAnimationFrame(() => {
        const heading = document.querySelector<HTMLElement>(section)
        heading?.focus({ preventScroll: true })
        heading?.scrollIntoView()
      })
      return
    }
    const isSamePage = isChatAddress(pathname) && isChatAddress(before)
    // From one conversation to another, the focus stays unless what had it went away.
    if (isSamePage && (hasCoarsePointer() || document.activeElement !== document.body)) return
    const box = hasCoarsePointer() ? [] : [`#${MESSAGE_BOX_ID}`]
    focusAfterRender(section, ...box, 'main h1')
  }, [pathname])
  return null
}
