import 'server-only'
import type { CookieOptions } from '@supabase/ssr'
import { setAnswerCookie } from '@/lib/http/observe-request'

export interface RouteCookies {
  get(name: string): { name: string; value: string } | undefined
  getAll(): { name: string; value: string }[]
  /** Sets the cookie in the response, and for later reads. */
  set(name: string, value: string, options: CookieOptions): void
}

const opened = new WeakMap<Request, RouteCookies>()

/**
 * The cookies of a request and of its response, shared by everything that handles the request: routes also run outside
 * of Next.
 */
export function routeCookies(request: Request): RouteCookies {
  const known = opened.get(request) ?? openCookies(request.headers.get('cookie') ?? '')
  opened.set(request, known)
  return known
}

function openCookies(sent: string): RouteCookies {
  const values = new Map(sent.split(';').flatMap(readPair))
  return {
    get(name) {
      const value = values.get(name)
      return value === undefined ? undefined : { name, value }
    },
    getAll: () => [...values].map(([name, value]) => ({ name, value })),
    set(name, value, options) {
      values.set(name, value)
      setAnswerCookie(name, writePair(name, value, options))
    },
  }
}

/** Skips a cookie whose value cannot be decoded. */
function readPair(pair: string): [string, string][] {
  const at = pair.indexOf('=')
  if (at < 0) return []
  try {
    return [[pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())]]
  } catch {
    return []
  }
}

function writePair(name: string, value: string, options: CookieOptions): string {
  const { path = '/', maxAge, domain, secure, httpOnly, sameSite } = options
  return [
    `${name}=${encodeURIComponent(value)}`,
    `Path=${path}`,
    maxAge !== undefined && `Max-Age=${maxAge}`,
    domain && `Domain=${domain}`,
    secure && 'Secure',
    httpOnly && 'HttpOnly',
    sameSite && `SameSite=${sameSite === true ? 'strict' : sameSite}`,
  ]
    .filter(Boolean)
    .join('; ')
}
