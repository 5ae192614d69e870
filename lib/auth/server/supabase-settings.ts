import 'server-only'
import { serverSettings } from '@/lib/config/server'
import { KeySet } from './key-set'

/** `serverSettings().supabase`, when the operator configured it. */
export interface SupabaseSettings {
  url: string
  publicKey: string
  googleClientId?: string
}

/** Null: there is no sign-in on this deployment. */
export function supabaseSettings(): SupabaseSettings | null {
  return serverSettings().supabase
}

const keySets = new Map<string, KeySet>()

/** The key set of the configured auth service, kept for the life of the process. */
export function keySetOf(settings: SupabaseSettings): KeySet {
  const issuer = `${settings.url}/auth/v1`
  const keySet = keySets.get(issuer) ?? new KeySet(issuer)
  keySets.set(issuer, keySet)
  return keySet
}
