'use client'

import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react'
import { ApiCallError, errorCodeOf } from '@/lib/http/client/call-api'
import type { CallErrorCode } from '@/lib/http/domain/error-codes'

/** Runs one request at a time, such as that of a button: whether it is running, and the error of the last one. */
export function useRequest() {
  const [state, setState] = useState<{ busy: boolean; errorCode: CallErrorCode | null }>({
    busy: false,
    errorCode: null,
  })
  const isRunning = useRef(false)

  /**
   * Null if it failed or another one was still running. Errors that no server sent are reported to telemetry as well.
   */
  const run = useCallback(async <Result>(task: () => Promise<Result>): Promise<Result | null> => {
    if (isRunning.current) return null
    isRunning.current = true
    setState({ busy: true, errorCode: null })
    let errorCode: CallErrorCode | null = null
    try {
      return await task()
    } catch (thrown) {
      errorCode = errorCodeOf(thrown)
      if (!(thrown instanceof ApiCallError)) reportError(thrown)
      return null
    } finally {
      isRunning.current = false
      setState({ busy: false, errorCode })
    }
  }, [])
  /** Forgets the error of the last request, once it is about something that is no longer shown. */
  const forget = useCallback(() => setState(({ busy }) => ({ busy, errorCode: null })), [])
  useBackOnline(state.errorCode, forget)
  return { ...state, run, forget }
}

/** Clears a network error as soon as the browser is online again. */
export function useBackOnline(errorCode: string | null, forget: () => void): void {
  const isLost = errorCode === 'network'
  const forgetNow = useEffectEvent(forget)
  useEffect(() => {
    if (!isLost) return
    const onOnline = () => forgetNow()
    window.addEventListener('online', onOnline)
    return () => window.removeEventListener('online', onOnline)
  }, [isLost])
}
