'use client'

import { useEffect } from 'react'
import { ALIVE_EVENT } from './early-input'

/** Says that the page answers to input. Rendered last, so that everything before it does by then. */
export function PageAlive() {
  useEffect(() => {
    window.dispatchEvent(new Event(ALIVE_EVENT))
  }, [])
  return null
}
