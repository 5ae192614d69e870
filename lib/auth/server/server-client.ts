import 'server-only'
import { combineChunks, createServerClient, type SetAllCookies, stringFromBase64URL } from '@supabase/ssr'
import { z } from 'zod'
import {
  IncompleteSessionError,
  MissingRefreshTokenError,
  NoSessionError,
  type SessionError,
} from '@/lib/auth/domain/session-errors'
import { parseWith } from '@/lib/http/domain/parse-with'
import { isSessionCookie, sessionCookieName } from './session-cookies'
import type { SupabaseSettings } from './supabase-settings'

export type AuthServerClient = Awaited<ReturnType<typeof createAuthServerClient>>

export interface AuthServerClientOptions {
  getAll: () => { name: string; value: string }[]
  /** Omitted where cookies cannot be written, that is in pages. */
  setAll?: SetAllCookies
  /** Whether the page was requested over https; then the session is never sent over http. */
  secure: boolean
  fetch: typeof fetch
}

/**
 * The library's server client on the given cookies. It writes them as specified: chunks of 3180 characters, 400 days,
 * path `/`, SameSite lax. One per request, never shared.
 *
 * Session cookies without a valid session are cleared here, and the library never sees them.
 */
export async function createAuthServerClient(settings: SupabaseSettings, options: AuthServerClientOptions) {
  const name = sessionCookieName(settings)
  const sent = options.getAll()
  const names = sent.map(cookie => cookie.name).filter(sentName => isSessionCookie(sentName, name))
  const damaged = (await storedSessionProblem(sent, name)) === null ? [] : names
  if (damaged.length > 0)
    await options.setAll?.(damaged.map(expire), { 'Cache-Control': 'private, no-store' })
  const { auth } = createServerClient(settings.url, settings.publicKey, {
    cookies: {
      getAll: () => options.getAll().filter(cookie => !damaged.includes(cookie.name)),
      setAll: options.setAll ?? (() => undefined),
    },
    cookieOptions: { name, secure: options.secure },
    global: { fetch: options.fetch },
  })
  return auth
}

/** The library clears cookies with the same attributes. */
export function expire(name: string) {
  return { name, value: '', options: { path: '/', sameSite: 'lax' as const, maxAge: 0 } }
}

/** A session is only valid with these three. */
const storedSessionSchema = z.looseObject({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1),
  expires_at: z.number(),
})

/** Earlier versions of the library wrote plain JSON, without it. */
const BASE64_PREFIX = 'base64-'

/** Five chunks are a large session; cookies with far more are ignored without decoding them. */
const CHUNK_COUNT_MAX = 16

/**
 * Why the cookies contain no session, read as the library reads them; null if they contain one. Checked before the
 * library sees them: an empty refresh token, for example, makes it throw where nobody can catch.
 */
export async function storedSessionProblem(
  cookies: readonly { name: string; value: string }[],
  sessionName: string,
): Promise<SessionError | null> {
  const values = new Map(cookies.map(({ name, value }) => [name, value]))
  if (![...values.keys()].some(name => isSessionCookie(name, sessionName))) return new NoSessionError()
  const read = parseWith(storedSessionSchema, await storedSession(values, sessionName))
  if (read.success) return null
  const lacksOnlyRefreshToken = read.error.issues.every(({ path }) => path[0] === 'refresh_token')
  return lacksOnlyRefreshToken ? new MissingRefreshTokenError() : new IncompleteSessionError()
}

/** Null if it is not valid JSON. */
async function storedSession(values: ReadonlyMap<string, string>, sessionName: string): Promise<unknown> {
  if (values.has(`${sessionName}.${CHUNK_COUNT_MAX}`)) return null
  try {
    const text = await combineChunks(sessionName, name => values.get(name) ?? null)
    if (!text) return null
    return JSON.parse(
      text.startsWith(BASE64_PREFIX) ? stringFromBase64URL(text.slice(BASE64_PREFIX.length)) : text,
    )
  } catch {
    return null
  }
}
