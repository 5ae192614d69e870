import 'server-only'
import { serverSettings } from '@/lib/config/server'
import type { ServerSettings } from '@/lib/config/settings'
import { createKeySetMemory, KeySet, type KeySetMemory } from './key-set'

/** What the operator configured. */
export type SupabaseSettings = NonNullable<ServerSettings['supabase']>

/** Null: there is no sign-in on this deployment. */
export function supabaseSettings(): SupabaseSettings | null {
  return serverSettings().supabase
}

/**
 * In the registry of the whole process: Next bundles the middleware apart from the pages, and each would
 * wait for a silent service for itself. Only data: an error of one bundle is unknown to the other.
 */
const MEMORIES = Symbol.for('tuppence.keySetMemories')
const registry = globalThis as typeof globalThis & { [MEMORIES]?: Map<string, KeySetMemory> }

const keySets = new Map<string, KeySet>()

/** The key set of the configured auth service, kept for the life of the process. */
export function keySetOf(settings: SupabaseSettings): KeySet {
  const issuer = `${settings.url}/auth/v1`
  registry[MEMORIES] ??= new Map()
  const memory = registry[MEMORIES].get(issuer) ?? createKeySetMemory()
  registry[MEMORIES].set(issuer, memory)
  const keySet = keySets.get(issuer) ?? new KeySet(issuer, globalThis.fetch, memory)
  keySets.set(issuer, keySet)
  return keySet
}
