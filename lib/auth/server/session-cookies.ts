import 'server-only'
import type { SupabaseSettings } from './supabase-settings'

/**
 * The name under which the library keeps the session: `sb-<project>-auth-token`, with `.0`, `.1`, …
 * after it when it takes several chunks. Derived from the service's host as the library itself does.
 */
export function sessionCookieName(settings: SupabaseSettings): string {
  const project = new URL(settings.url).hostname.split('.')[0] ?? ''
  return `sb-${project.replace(/[^A-Za-z0-9-]/g, '')}-auth-token`
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
