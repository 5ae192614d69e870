'use client'

import { useContext } from 'react'
import { useStore } from '@/components/ui/use-store'
import type { SessionState } from '@/lib/auth/domain/session-state'
import { type Auth, AuthContext } from './auth-provider'

/** For components that are rendered only where sign-in is configured. */
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
