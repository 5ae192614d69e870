import 'server-only'
import { cookies } from 'next/headers'
import { cache } from 'react'
import type { InitialSession } from '@/lib/auth/domain/session-state'
import { boundedFetch, PAGE_WAIT_MS_MAX } from './bounded-fetch'
import { resolveSession } from './resolve-session'
import { createAuthServerClient } from './server-client'
import { isSessionCookie, sessionCookieName } from './session-cookies'
import { keySetOf, supabaseSettings } from './supabase-settings'

/** The token's claims have no more; the browser's library does. */
const NOTHING_ELSE = { newEmail: null, name: null, factors: [] }

/**
 * Who is signed in, for a page: read from the cookies that the middleware has refreshed, and verified locally without
 * asking the auth service. Null if this deployment has no sign-in. For display only; use `requireUser` before anything
 * sensitive.
 */
export const sessionFromRequest = cache(async (): Promise<InitialSession | null> => {
  const settings = supabaseSettings()
  if (!settings) return null
  const store = await cookies()
  const sessionName = sessionCookieName(settings)
  // A chunk that the middleware deleted is still listed here, without a value.
  const present = store.getAll().filter(({ value }) => typeof value === 'string')
  if (!present.some(({ name }) => isSessionCookie(name, sessionName))) return { status: 'signed-out' }
  // A page cannot write cookies, so it must not refresh: the new tokens would be lost.
  const bounded = boundedFetch(PAGE_WAIT_MS_MAX, { asks: false })
  const auth = await createAuthServerClient(settings, {
    secure: false,
    fetch: bounded.fetch,
    getAll: () => present,
  })
  const session = await resolveSession(auth, keySetOf(settings), bounded)
  if (session.status !== 'signed-in') return { status: session.status }
  const { userId, email, phone } = session.claims
  return { status: 'signed-in', user: { ...NOTHING_ELSE, id: userId, email, phone } }
})
