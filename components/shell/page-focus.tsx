'use client'

import { usePathname } from 'next/navigation'
import { useEffect, useRef } from 'react'
import { focusAfterRender, hasCoarsePointer, MESSAGE_BOX_ID } from '@/components/ui/focus'
import { isChatAddress } from '@/lib/i18n/chat-address'

/**
 * After a change of page, gives the focus to what the address names, or to where one writes or begins to read;
 * it would stay on a link beside the page, or nowhere.
 */
export function PageFocus() {
  const pathname = usePathname()
  const seen = useRef(pathname)
  useEffect(() => {
    if (seen.current === pathname) return
    const isSamePage = isChatAddress(pathname) && isChatAddress(seen.current)
    seen.current = pathname
    // From one conversation to another, the focus stays unless what had it went away.
    if (isSamePage && (hasCoarsePointer() || document.activeElement !== document.body)) return
    const box = hasCoarsePointer() ? [] : [`#${MESSAGE_BOX_ID}`]
    const sought = window.location.hash.slice(1)
    const section = sought === '' ? [] : [`main [id=${JSON.stringify(sought)}] h2`]
    focusAfterRender(...section, ...box, 'main h1')
  }, [pathname])
  return null
}
