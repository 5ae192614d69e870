import 'server-only'
import { serverSettings } from '@/lib/config/server-settings'
import type { ServerSettings } from '@/lib/config/settings'
import { processWide } from '@/lib/observability/process-wide'
import { createKeySetMemory, KeySet, type KeySetMemory } from './key-set'

/** What the operator configured. */
export type SupabaseSettings = NonNullable<ServerSettings['supabase']>

/** Null: there is no sign-in on this deployment. */
export function supabaseSettings(): SupabaseSettings | null {
  return serverSettings().supabase
}

/**
 * For the whole process: Next bundles the middleware apart from the pages, and each would wait for a silent
 * service for itself. Only data: an error of one bundle is unknown to the other.
 */
const memories = processWide('keySetMemories', () => new Map<string, KeySetMemory>())

const keySets = new Map<string, KeySet>()

/** The key set of the configured auth service, kept for the life of the process. */
export function keySetOf(settings: SupabaseSettings): KeySet {
  const issuer = `${settings.url}/auth/v1`
  const memory = memories.get(issuer) ?? createKeySetMemory()
  memories.set(issuer, memory)
  const keySet = keySets.get(issuer) ?? new KeySet(issuer, globalThis.fetch, memory)
  keySets.set(issuer, keySet)
  return keySet
}
