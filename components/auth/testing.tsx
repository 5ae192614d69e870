import { render } from '@testing-library/react'
import { NextIntlClientProvider } from 'next-intl'
import type { ReactNode } from 'react'
import type { AuthBrowserClient } from '@/lib/auth/client/browser-client'
import type { WaysIn } from '@/lib/auth/client/service-settings'
import { SessionStore } from '@/lib/auth/client/session-store'
import type { AuthUser } from '@/lib/auth/domain/auth-user'
import type { PublicAuthSettings } from '@/lib/auth/domain/public-auth-settings'
import { en as messages } from '@/test/support/messages'
import { AuthContext } from './auth-context'

export const ADA: AuthUser = {
  id: 'user-1',
  email: 'ada@example.com',
  newEmail: null,
  phone: null,
  name: null,
  factors: [],
}

/** Renders a component for a signed-in person, for nobody (null), or while the service cannot be asked (undefined). */
export function renderFor(
  user: AuthUser | null | undefined,
  children: ReactNode,
  open: () => Promise<AuthBrowserClient> = () => Promise.reject(new Error('not needed here')),
  given: Partial<PublicAuthSettings> = {},
  ways: WaysIn = { email: true, passkey: Boolean(user), providers: ['google'] },
): SessionStore {
  const withoutUser = user === null ? 'signed-out' : 'unknown'
  const store = new SessionStore(user ? { status: 'signed-in', user } : { status: withoutUser }, open)
  const settings = { url: 'http://auth.test', publicKey: 'key', cookieName: 'sb-auth-auth-token', ...given }
  const waysIn = async () => ({ data: ways, error: null })
  render(
    <NextIntlClientProvider locale="en" messages={messages} timeZone="UTC">
      <AuthContext value={{ store, settings, waysIn }}>{children}</AuthContext>
    </NextIntlClientProvider>,
  )
  return store
}
