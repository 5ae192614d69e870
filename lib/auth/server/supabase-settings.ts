import 'server-only'
import type { PublicAuthSettings } from '@/lib/auth/domain/public-auth-settings'
import { serverSettings } from '@/lib/config/server-settings'
import { ApiError } from '@/lib/http/api-error'
import { processWide } from '@/lib/observability/process-wide'
import { createKeySetMemory, KeySet, type KeySetMemory } from './key-set'

/** The operator's settings; the name of the cookie is derived from them. */
export type SupabaseSettings = Omit<PublicAuthSettings, 'cookieName'>

/** Null if this deployment has no sign-in. */
export function supabaseSettings(): SupabaseSettings | null {
  return serverSettings().supabase
}

/** @throws ApiError not_found if this deployment has no sign-in */
export function requireSupabaseSettings(): SupabaseSettings {
  const settings = supabaseSettings()
  if (settings) return settings
  throw new ApiError('not_found', 'There is no sign-in here.')
}

/**
 * One for the whole process: Next bundles the middleware separately from the pages, and each would wait for an
 * unresponsive service by itself. Only data, because one bundle does not recognise the other's errors.
 */
const memories = processWide('keySetMemories', () => new Map<string, KeySetMemory>())

const keySets = new Map<string, KeySet>()

/** The key set of the configured auth service, kept for the lifetime of the process. */
export function keySetOf(settings: SupabaseSettings): KeySet {
  const issuer = `${settings.url}/auth/v1`
  const memory = memories.get(issuer) ?? createKeySetMemory()
  memories.set(issuer, memory)
  const keySet = keySets.get(issuer) ?? new KeySet(issuer, globalThis.fetch, memory)
  keySets.set(issuer, keySet)
  return keySet
}
