import 'server-only'
import { serverSettings } from '@/lib/config/server-settings'
import type { SupabaseSettings } from './supabase-settings'

/**
 * The name under which the library keeps the session: `sb-<project>-auth-token`, with `.0`, `.1`, …
 * after it when it takes several chunks. Derived from the service's host as the library itself does.
 */
export function sessionCookieName(settings: SupabaseSettings): string {
  const project = new URL(settings.url).hostname.split('.')[0] ?? ''
  return `sb-${project.replace(/[^A-Za-z0-9-]/g, '')}-auth-token`
}

/**
 * Whether cookies are written Secure: because the operator says that the site is https, whatever a proxy
 * says or leaves unsaid; or because the browser spoke https, to us or to the proxy in front of us.
 */
export function isSecure(request: Request): boolean {
  return (
    serverSettings().siteUrl?.startsWith('https:') === true ||
    request.headers.get('x-forwarded-proto')?.split(',')[0]?.trim() === 'https' ||
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
 * The session cookies that a request brought, by the Cookie header itself: Next leaves out those whose
 * value it cannot decode, and they are to be cleared too.
 */
export function sentSessionCookies(headers: Headers, sessionName: string): string[] {
  const names = (headers.get('cookie') ?? '').split(';').map(pair => pair.split('=', 1)[0]?.trim() ?? '')
  return [...new Set(names)].filter(name => isSessionCookie(name, sessionName))
}
