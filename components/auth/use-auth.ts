'use client'

import { useCallback, useContext, useState } from 'react'
import { useRequest } from '@/components/request/use-request'
import { useResolved } from '@/components/ui/use-resolved'
import { useStore } from '@/components/ui/use-store'
import type { AuthResult } from '@/lib/auth/client/auth-result'
import type { WaysIn } from '@/lib/auth/client/service-settings'
import type { SessionState } from '@/lib/auth/domain/session-state'
import { type Auth, AuthContext } from './auth-context'

/** For components that are rendered only if sign-in is configured. */
export function useAuth(): Auth {
  const auth = useContext(AuthContext)
  if (!auth) throw new Error('There is no AuthProvider: sign-in is not configured.')
  return auth
}

/** The shared session state: user, loading, error. */
export function useSession(): SessionState {
  const { store } = useAuth()
  return useStore(store)
}

/** `useRequest` for results of the auth service; `error` is a key of `auth.errors`. */
export function useAction() {
  const { store } = useAuth()
  const { busy, errorCode, run: request } = useRequest()
  const [refusal, setRefusal] = useState<string | null>(null)
  const run = useCallback(
    <Data>(attempt: () => Promise<AuthResult<Data>>): Promise<Data | null> =>
      request(async () => {
        setRefusal(null)
        const { data, error } = await attempt()
        // A person who is asked to sign in again must see the form to do so.
        if (error === 'sessionEnded' && store.getSnapshot().user) void store.refreshUser()
        setRefusal(error)
        return data
      }),
    [request, store],
  )
  return { pending: busy, error: refusal ?? errorCode, run }
}

/** Null until the service has answered. */
export function useWaysIn(): AuthResult<WaysIn> | null {
  return useResolved(useAuth().waysIn, null)
}
