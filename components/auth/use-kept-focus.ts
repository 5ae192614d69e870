'use client'

import { type RefObject, useEffect, useRef } from 'react'

/**
 * Each step of signing in takes away the button or field that led to it, and with it the focus. The field of what
 * came in its place has it then, or the button of the next question; where there is none, the heading of that section.
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
      // All of it has changed: whoever was signed out is signed in, or the other way round.
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
