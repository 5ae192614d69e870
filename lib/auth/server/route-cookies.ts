import 'server-only'
import type { CookieOptions } from '@supabase/ssr'
import { setAnswerCookie } from '@/lib/http/observe-request'

export interface RouteCookies {
  get(name: string): { name: string; value: string } | undefined
  getAll(): { name: string; value: string }[]
  /** In the answer, and for whoever reads them after. */
  set(name: string, value: string, options: CookieOptions): void
}

const opened = new WeakMap<Request, RouteCookies>()

/** What a request brought and its answer sets, the same for all who ask: routes answer outside of Next as well. */
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

/** One whose value cannot be decoded is left out. */
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
