'use client'

import { type RefObject, useEffect, useRef } from 'react'

/**
 * Each step of signing in removes the button or field that led to it, and the focus with it. This moves the focus to
 * the first field of what replaced it, or to the button of the next question, or else to the heading of the section.
 */
export function useKeptFocus(): RefObject<HTMLDivElement | null> {
  const rootRef = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const root = rootRef.current
    if (!root) return
    let focused: Element | null = null
    let around: Element[] = []
    const note = ({ target }: FocusEvent) => {
      focused = target instanceof Element ? target : null
      around = []
      for (let each = focused?.parentElement; each && each !== root.parentElement; each = each.parentElement)
        around.push(each)
    }
    const observer = new MutationObserver(() => {
      if (!focused || focused.isConnected || document.activeElement !== document.body) return
      focused = null
      const nearest = around.find(each => each.isConnected) ?? root
      // Everything was replaced: the person has just signed in or out.
      const within = nearest === root ? null : nearest
      const field = within?.querySelector<HTMLElement>('input, select')
      const button = within?.matches('[role=group]') ? within.querySelector('button') : null
      const heading = nearest.closest('section')?.querySelector<HTMLElement>('h2, h3')
      ;(field ?? button ?? heading)?.focus()
    })
    root.addEventListener('focusin', note)
    observer.observe(root, { childList: true, subtree: true })
    return () => {
      root.removeEventListener('focusin', note)
      observer.disconnect()
    }
  }, [])
  return rootRef
}
