'use client'

import { useCallback, useRef, useState } from 'react'
import type { AuthResult } from '@/lib/auth/client/auth-result'

export interface Action {
  pending: boolean
  /** A key of `auth.errors`. */
  error: string | null
  /** Runs one thing at a time; null when it failed, or something else was still running. */
  run: <Data>(attempt: () => Promise<AuthResult<Data>>) => Promise<Data | null>
}

/** What a button does that asks the auth service: whether it is under way, and why it failed. */
export function useAction(): Action {
  const [state, setState] = useState<{ pending: boolean; error: string | null }>({
    pending: false,
    error: null,
  })
  const running = useRef(false)
  const run = useCallback(async <Data>(attempt: () => Promise<AuthResult<Data>>): Promise<Data | null> => {
    if (running.current) return null
    running.current = true
    setState({ pending: true, error: null })
    const result = await attempt()
    running.current = false
    setState({ pending: false, error: result.error })
    return result.data
  }, [])
  return { ...state, run }
}
