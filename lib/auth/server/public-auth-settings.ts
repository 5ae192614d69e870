import 'server-only'
import type { PublicAuthSettings } from '@/lib/auth/domain/public-auth-settings'
import { sessionCookieName } from './session-cookies'
import { supabaseSettings } from './supabase-settings'

/** Null if this deployment has no sign-in; then no page shows any. */
export function publicAuthSettings(): PublicAuthSettings | null {
  const settings = supabaseSettings()
  return settings && { ...settings, cookieName: sessionCookieName(settings) }
}
