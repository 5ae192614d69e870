import 'server-only'
import { serverSettings } from '@/lib/config/server-settings'
import { forwarded } from '@/lib/http/request-origin'
import type { SupabaseSettings } from './supabase-settings'

/**
 * The name of the library's session cookie: `sb-<project>-auth-token`, with `.0`, `.1`, … appended if it takes several
 * chunks. Derived from the service's host exactly as the library does.
 */
export function sessionCookieName(settings: SupabaseSettings): string {
  const project = new URL(settings.url).hostname.split('.')[0] ?? ''
  return `sb-${project.replace(/[^A-Za-z0-9-]/g, '')}-auth-token`
}

/**
 * Whether cookies are written with Secure: if the operator has configured the site as https, whatever a proxy says, or
 * if the browser used https to us or to the proxy in front of us.
 */
export function isSecure(request: Request): boolean {
  return (
    serverSettings().siteUrl?.startsWith('https:') === true ||
    forwarded(request.headers, 'proto') === 'https' ||
    new URL(request.url).protocol === 'https:'
  )
}

export function isSessionCookie(cookieName: string, sessionName: string): boolean {
  if (cookieName === sessionName) return true
  return (
    cookieName.startsWith(`${sessionName}.`) && /^\d{1,3}$/.test(cookieName.slice(sessionName.length + 1))
  )
}

/**
 * The session cookies in a request, read from the Cookie header itself: Next leaves out those whose value it cannot
 * decode, and these have to be cleared, too.
 */
export function sentSessionCookies(headers: Headers, sessionName: string): string[] {
  const names = (headers.get('cookie') ?? '').split(';').map(pair => pair.split('=', 1)[0]?.trim() ?? '')
  return [...new Set(names)].filter(name => isSessionCookie(name, sessionName))
}
