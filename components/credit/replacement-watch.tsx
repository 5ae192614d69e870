'use client'

import { useEffect } from 'react'
import { refreshBalance } from './balance-store'
import { finishReplacement } from './replace-leaked-credit'

const INTERVAL_MS = 30_000

/** Moves what a leaked credit still had when it was replaced: what was held, or what a lost connection left there. */
export function ReplacementWatch(): null {
  useEffect(() => {
    // The account page tells of errors to whoever looks there; the next attempt may succeed.
    const tryAgain = () => void finishReplacement().catch(() => undefined)
    tryAgain()
    const timer = setInterval(tryAgain, INTERVAL_MS)
    window.addEventListener('online', tryAgain)
    return () => {
      clearInterval(timer)
      window.removeEventListener('online', tryAgain)
      // Another tab may have moved the money within the four seconds for which this one believes what it has read.
      void refreshBalance().catch(() => undefined)
    }
  }, [])
  return null
}
