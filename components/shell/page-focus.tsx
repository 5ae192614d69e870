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
    const section = sectionAt(window.location.hash)
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
  useEffect(() => {
    const onClick = ({ target, defaultPrevented }: MouseEvent) => {
      const link = target instanceof Element ? target.closest('a') : null
      // To a place on the same page the router only scrolls.
      const isHere = link !== null && link.hash !== '' && link.pathname === pathname
      if (isHere && defaultPrevented) focusAfterRender(sectionAt(link.hash))
    }
    window.addEventListener('click', onClick)
    return () => window.removeEventListener('click', onClick)
  }, [pathname])
  useEffect(() => {
    // Safari focuses no button that is pressed, and neither does Firefox on a Mac. What the button opens would return
    // the focus to the start of the page. A button that is pressed by a script or a key has no detail.
    const focusPressed = ({ target, detail }: MouseEvent) => {
      const button = target instanceof Element ? target.closest('button') : null
      const { activeElement: focused } = document
      if (detail > 0 && focused !== button && focused?.contains(button))
        button?.focus({ preventScroll: true })
    }
    window.addEventListener('click', focusPressed, true)
    return () => window.removeEventListener('click', focusPressed, true)
  }, [])
  return null
}

/** Selects the heading of the section that the end of an address names. */
function sectionAt(hash: string): string {
  return `main [id=${JSON.stringify(hash.slice(1))}] h2`
}
