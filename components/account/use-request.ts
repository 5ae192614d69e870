'use client'

import { useState } from 'react'
import { errorCodeOf } from '@/lib/http/client/call-api'

/** One request at a time that a person started: whether it runs, and what came of the last one. */
export function useRequest() {
  const [busy, setBusy] = useState(false)
  const [errorCode, setErrorCode] = useState<string | null>(null)

  /** True when it went well; a second start while one runs does nothing. */
  const run = async (task: () => Promise<void>): Promise<boolean> => {
    if (busy) return false
    setBusy(true)
    setErrorCode(null)
    try {
      await task()
      return true
    } catch (thrown) {
      setErrorCode(errorCodeOf(thrown))
      return false
    } finally {
      setBusy(false)
    }
  }
  return { busy, errorCode, run }
}
