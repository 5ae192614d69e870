import 'server-only'
import { z } from 'zod'
import { log } from '@/lib/observability/log'
import type { SupabaseSettings } from './supabase-settings'

/** How a service can be set up so that no session of it is believed here: keys of `auth.errors`. */
export type SetupProblem = 'signingKeys' | 'issuer'

const ADVICE: Record<SetupProblem, string> = {
  signingKeys:
    'signs sessions by a shared secret (HS256). Whoever can check those could also forge them, so they are refused here, and nobody can sign in. Turn on signing keys (ES256 or RS256) and make one of them the current key: in Supabase under Project Settings, JWT Keys; in an auth server of your own with GOTRUE_JWT_KEYS.',
  issuer:
    'signs sessions that name another issuer than its address with /auth/v1, so they are refused here, and nobody can sign in. Set NEXT_PUBLIC_SUPABASE_URL to the address that the service itself goes by, or the service to this one (GOTRUE_JWT_ISSUER).',
}

/** At the start nobody waits for this, and a service that is down then says nothing of its keys. */
const START_CHECK_TIMEOUT_MS = 5_000

const keySetSchema = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) })

const told = new Set<string>()

/** Says in the log what to change, once for each service and problem. */
export function tellOperator({ url }: SupabaseSettings, problem: SetupProblem): void {
  const key = `${problem} ${url}`
  if (told.has(key)) return
  told.add(key)
  log.warn(`Sign-in: ${new URL(url).host} ${ADVICE[problem]}`)
}

/** Whether the service publishes a key to check sessions by; without one it signs by a shared secret. */
export async function checkSigningKeys(settings: SupabaseSettings): Promise<void> {
  const address = `${settings.url}/auth/v1/.well-known/jwks.json`
  const response = await fetch(address, { signal: AbortSignal.timeout(START_CHECK_TIMEOUT_MS) }).catch(
    () => null,
  )
  const keySet = keySetSchema.safeParse(await response?.json().catch(() => null))
  if (!keySet.success) return
  if (!keySet.data.keys.some(({ kty }) => kty === 'EC' || kty === 'RSA'))
    tellOperator(settings, 'signingKeys')
}
