'use client'

import { type ReactNode, useEffect, useState } from 'react'
import type { AuthResult } from '@/lib/auth/client/auth-result'
import { loadWaysIn } from '@/lib/auth/client/service-settings'
import { SessionStore } from '@/lib/auth/client/session-store'
import type { PublicAuthSettings } from '@/lib/auth/domain/public-auth-settings'
import type { InitialSession } from '@/lib/auth/domain/session-state'
import { type Auth, AuthContext } from './auth-context'

interface AuthProviderProps {
  settings: PublicAuthSettings
  /** The session that the server found in the request, so that the first paint is right. */
  initial: InitialSession
  children: ReactNode
}

/** Rendered only if sign-in is configured. The auth library is loaded when it is first needed. */
export function AuthProvider({ settings, initial, children }: AuthProviderProps) {
  const [auth] = useState<Auth>(() => ({
    settings,
    store: new SessionStore(
      initial,
      async onEnded => {
        const { createAuthBrowserClient } = await import('@/lib/auth/client/browser-client')
        const secure = window.location.protocol === 'https:'
        return createAuthBrowserClient(settings, { secure, onEnded })
      },
      settings.cookieName,
    ),
    waysIn: rememberSuccess(() => loadWaysIn(settings)),
  }))
  useEffect(() => auth.store.start(), [auth])
  return <AuthContext value={auth}>{children}</AuthContext>
}

function rememberSuccess<Data>(load: () => Promise<AuthResult<Data>>): () => Promise<AuthResult<Data>> {
  let loaded: Promise<AuthResult<Data>> | null = null
  return () => {
    loaded ??= load().then(result => {
      if (result.error !== null) loaded = null
      return result
    })
    return loaded
  }
}
