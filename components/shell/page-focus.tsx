'use client'

import { usePathname } from 'next/navigation'
import { useEffect, useRef } from 'react'
import { focusAfterRender, hasCoarsePointer, MESSAGE_BOX_ID } from '@/components/ui/focus'
import { isChatAddress } from '@/lib/i18n/chat-address'

/**
 * After a change of page, moves the focus to the target of the address, else to the message box or the heading. It
 * would otherwise stay on a link outside the page, or be lost. On the first page it moves only to the target: the
 * browser had looked for it before the stored data was rendered above it.
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
    // Between conversations, the focus stays unless the element that had it is gone.
    if (isSamePage && (hasCoarsePointer() || document.activeElement !== document.body)) return
    const box = hasCoarsePointer() ? [] : [`#${MESSAGE_BOX_ID}`]
    focusAfterRender(section, ...box, 'main h1')
  }, [pathname])
  return null
}
