'use client'

import { usePathname } from 'next/navigation'
import { useEffect, useRef } from 'react'
import { focusAfterRender, hasCoarsePointer, MESSAGE_BOX_ID } from '@/components/ui/focus'
import { isChatAddress } from '@/lib/i18n/chat-address'

/** The address that was shown last. Another language replaces the whole document, and this component with it. */
let lastPathname: string | null = null

/**
 * After a change of page or language, moves the focus to the target of the address, else to the message box or the
 * heading. It would otherwise stay on a link outside the page, or be lost. On the first page it moves only to the
 * target: the browser had looked for it before the stored data was rendered above it.
 */
export function PageFocus() {
  const pathname = usePathname()
  const isNewDocument = useRef(true)
  useEffect(() => {
    const kept = isNewDocument.current ? [':focus'] : []
    isNewDocument.current = false
    const before = lastPathname
    if (before === pathname) return
    lastPathname = pathname
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
    focusAfterRender(...kept, section, ...box, 'main h1')
  }, [pathname])
  return null
}
