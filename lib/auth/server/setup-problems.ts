import 'server-only'
import { z } from 'zod'
import { log } from '@/lib/observability/log'
import type { SupabaseSettings } from './supabase-settings'

/** Mistakes in the service's setup because of which none of its sessions is accepted here: keys of `auth.errors`. */
export type SetupProblem = 'signingKeys' | 'issuer'

const ADVICE: Record<SetupProblem, string> = {
  signingKeys:
    'signs sessions by a shared secret (HS256). Whoever can check those could also forge them, so they are refused here, and nobody can sign in. Turn on signing keys (ES256 or RS256) and make one of them the current key: in Supabase under Project Settings, JWT Keys; in an auth server of your own with GOTRUE_JWT_KEYS.',
  issuer:
    'signs sessions that name another issuer than its address with /auth/v1, so they are refused here, and nobody can sign in. Set NEXT_PUBLIC_SUPABASE_URL to the address that the service itself goes by, or the service to this one (GOTRUE_JWT_ISSUER).',
}

/** Nobody waits for this check at the start, and a service that is down then reveals nothing about its keys. */
const START_CHECK_TIMEOUT_MS = 5_000

const keySetSchema = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) })

const reported = new Set<string>()

/** Logs what to change, once for each service and problem. */
export function logSetupProblem({ url }: SupabaseSettings, problem: SetupProblem): void {
  const key = `${problem} ${url}`
  if (reported.has(key)) return
  reported.add(key)
  log.warn(`Sign-in: ${new URL(url).host} ${ADVICE[problem]}`)
}

/** Checks whether the service publishes a key to verify sessions with; without one it signs with a shared secret. */
export async function checkSigningKeys(settings: SupabaseSettings): Promise<void> {
  const address = `${settings.url}/auth/v1/.well-known/jwks.json`
  const response = await fetch(address, { signal: AbortSignal.timeout(START_CHECK_TIMEOUT_MS) }).catch(
    () => null,
  )
  const keySet = keySetSchema.safeParse(await response?.json().catch(() => null))
  if (!keySet.success) return
  if (!keySet.data.keys.some(({ kty }) => kty === 'EC' || kty === 'RSA'))
    logSetupProblem(settings, 'signingKeys')
}

/** Asks as every visitor's browser will: what stands before the service refuses the key of another project. */
export async function checkPublicKey({ url, publicKey }: SupabaseSettings): Promise<void> {
  const response = await fetch(`${url}/auth/v1/settings`, {
    headers: { apikey: publicKey },
    signal: AbortSignal.timeout(START_CHECK_TIMEOUT_MS),
  }).catch(() => null)
  if (response?.status !== 401) return
  log.warn(
    `Sign-in: ${new URL(url).host} refuses the public key, so nobody can sign in. Set NEXT_PUBLIC_SUPABASE_PUBLISHABLE_KEY to the publishable key of that very project: in Supabase under Project Settings, API Keys.`,
  )
}
