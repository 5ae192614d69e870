import 'server-only'
import type { CookieOptions } from '@supabase/ssr'
import type { NextRequest, NextResponse } from 'next/server'
import { SESSION_ENDED_COOKIE, SESSION_ENDED_SECONDS_MAX } from '@/lib/auth/domain/session-state'
import { boundedFetch, MIDDLEWARE_WAIT_MS_MAX } from './bounded-fetch'
import { isSecure, sentSessionCookies, sessionCookieName } from './session-cookies'
import { keySetOf, type SupabaseSettings, supabaseSettings } from './supabase-settings'

export interface SessionRefresh {
  /** Sets the refreshed or cleared cookies on the response, and the headers that keep it out of caches. */
  applyTo<Outgoing extends NextResponse>(response: Outgoing): Outgoing
}

const NOTHING_TO_APPLY: SessionRefresh = { applyTo: response => response }

/**
 * The middleware's part of the session. Call it first, since it writes refreshed cookies to the request, from which
 * whatever runs next forwards them to the page; then apply the result to the response. Without a session cookie, or
 * without sign-in, it does and loads nothing.
 *
 * It only keeps cookies fresh. Permissions are checked in every handler, never here.
 */
export async function refreshSession(
  request: NextRequest,
  settings: SupabaseSettings | null = supabaseSettings(),
  waitMsMax: number = MIDDLEWARE_WAIT_MS_MAX,
): Promise<SessionRefresh> {
  if (!settings) return NOTHING_TO_APPLY
  const sessionName = sessionCookieName(settings)
  const sent = sentSessionCookies(request.headers, sessionName)
  if (sent.length === 0) return NOTHING_TO_APPLY
  const { createAuthServerClient, expire } = await import('./server-client')
  const { resolveSession } = await import('./resolve-session')

  const bounded = boundedFetch(waitMsMax, { asker: request.headers })
  const written = new WrittenCookies(request)
  const secure = isSecure(request)
  const auth = await createAuthServerClient(settings, {
    secure,
    fetch: bounded.fetch,
    getAll: () => request.cookies.getAll(),
    // What the library does after the time ran out says nothing about the session.
    setAll: (cookies, headers) => (bounded.exhausted ? undefined : written.add(cookies, headers)),
  })
  const session = await resolveSession(auth, keySetOf(settings), bounded)
  if (session.status === 'signed-out') {
    const options = { path: '/', sameSite: 'lax', maxAge: SESSION_ENDED_SECONDS_MAX, secure } as const
    const note = { name: SESSION_ENDED_COOKIE, value: '1', options }
    written.add([...sent.map(expire), note], { 'Cache-Control': 'private, no-store' })
  }
  return written
}

/** Cookies and headers that are written to the request now and to the response later. */
class WrittenCookies implements SessionRefresh {
  readonly #cookies = new Map<string, { value: string; options: CookieOptions }>()
  readonly #headers = new Headers()

  constructor(readonly request: NextRequest) {}

  add(
    cookies: { name: string; value: string; options: CookieOptions }[],
    headers: Record<string, string>,
  ): void {
    for (const { name, value, options } of cookies) {
      if (value === '') this.request.cookies.delete(name)
      else this.request.cookies.set(name, value)
      this.#cookies.set(name, { value, options })
    }
    for (const [name, value] of Object.entries(headers)) this.#headers.set(name, value)
  }

  applyTo<Outgoing extends NextResponse>(response: Outgoing): Outgoing {
    for (const [name, { value, options }] of this.#cookies) response.cookies.set(name, value, options)
    for (const [name, value] of this.#headers) response.headers.set(name, value)
    return response
  }
}
