'use client'

import { useEffect, useState } from 'react'
import type { AuthResult } from '@/lib/auth/client/auth-result'
import type { WaysIn } from '@/lib/auth/client/service-settings'
import { useAuth } from './use-auth'

/** Null while the service is being asked. */
export function useWaysIn(): AuthResult<WaysIn> | null {
  const { waysIn } = useAuth()
  const [result, setResult] = useState<AuthResult<WaysIn> | null>(null)
  useEffect(() => {
    let shown = true
    void waysIn().then(answer => {
      if (shown) setResult(answer)
    })
    return () => {
      shown = false
    }
  }, [waysIn])
  return result
}
