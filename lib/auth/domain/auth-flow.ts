import { fieldsOf } from '@/lib/http/domain/is-object'
import { safeReturnPath } from './safe-return-path'

/**
 * What is remembered of a sign-in that a browser started: where to return to, and the address that a mail was sent to.
 * Kept in a cookie beside the library's own code verifier, so that it need not be part of the addresses sent to the
 * auth service.
 */
export interface AuthFlow {
  returnPath: string
  /** Null for ways of signing in that send no mail. */
  email: string | null
}

export const AUTH_FLOW_COOKIE = 'auth-flow'

/** Only our sign-in routes receive the cookie. */
export const AUTH_FLOW_PATH = '/auth'

/** As long as a mailed code is valid. */
export const AUTH_FLOW_SECONDS_MAX = 3600

/** The part of the account page in which people sign in, which is far down on a phone. */
export const SIGN_IN_SECTION = 'sign-in'

/** Where a sign-in returns to that began nowhere. */
export const DEFAULT_RETURN_PATH = `/account#${SIGN_IN_SECTION}`

/** Base64url, so that nothing has to be escaped in a cookie. */
export function encodeAuthFlow(flow: AuthFlow): string {
  const bytes = new TextEncoder().encode(JSON.stringify(flow))
  return btoa(String.fromCharCode(...bytes))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=/g, '')
}

/** Null if there is none; a damaged one still leads back to the account page. */
export function decodeAuthFlow(cookie: string | undefined): AuthFlow | null {
  if (cookie === undefined) return null
  const { returnPath, email } = fieldsOf(parse(cookie))
  return {
    returnPath: safeReturnPath(returnPath, DEFAULT_RETURN_PATH),
    email: typeof email === 'string' ? email : null,
  }
}

function parse(cookie: string): unknown {
  try {
    const text = atob(cookie.replace(/-/g, '+').replace(/_/g, '/'))
    const bytes = Uint8Array.from(text, character => character.charCodeAt(0))
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return null
  }
}
