'use client'

import { useEffect, useState } from 'react'

/** How long the button says that the copy worked. */
const COPIED_NOTICE_MS = 2000

export type CopyState = 'idle' | 'copied' | 'failed'

/** Copies text; `state` returns to idle by itself. Fails without a secure context or permission. */
export function useCopy(): { state: CopyState; copy: (text: string) => Promise<void> } {
  const [state, setState] = useState<CopyState>('idle')

  useEffect(() => {
    if (state === 'idle') return
    const timer = setTimeout(() => setState('idle'), COPIED_NOTICE_MS)
    return () => clearTimeout(timer)
  }, [state])

  const copy = async (text: string) => {
    try {
      await navigator.clipboard.writeText(text)
      setState('copied')
    } catch {
      setState('failed')
    }
  }
  return { state, copy }
}
