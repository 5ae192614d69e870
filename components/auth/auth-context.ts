import { createContext } from 'react'
import type { AuthResult } from '@/lib/auth/client/auth-result'
import type { WaysIn } from '@/lib/auth/client/service-settings'
import type { SessionStore } from '@/lib/auth/client/session-store'
import type { PublicAuthSettings } from '@/lib/auth/domain/public-auth-settings'

export interface Auth {
  settings: PublicAuthSettings
  store: SessionStore
  /** Fetched once per page, and again only after a failure. */
  waysIn: () => Promise<AuthResult<WaysIn>>
}

/**
 * Null if this deployment has no sign-in. Apart from its provider, so that whoever only asks who is signed in loads
 * nothing of it.
 */
export const AuthContext = createContext<Auth | null>(null)
