import type { Provider, UserIdentity } from '@supabase/supabase-js'
import { type PublicAuthSettings, providerOptions } from '@/lib/auth/domain/public-auth-settings'
import { type AuthResult, authResult } from './auth-result'
import { callbackAddress, rememberAuthFlow } from './remember-auth-flow'
import type { SessionStore } from './session-store'

export type { UserIdentity } from '@supabase/supabase-js'

export async function listIdentities(store: SessionStore): Promise<AuthResult<UserIdentity[]>> {
  const result = await authResult(store.client().then(client => client.getUserIdentities()))
  return result.error === null ? { data: result.data.identities, error: null } : result
}

/** Leaves for the provider's page and comes back with the identity linked. */
export async function linkProvider(
  store: SessionStore,
  settings: PublicAuthSettings,
  provider: Provider,
): Promise<AuthResult<object>> {
  const options = { redirectTo: callbackAddress(), ...providerOptions(settings, provider) }
  return authResult(
    rememberAuthFlow({ email: null })
      .then(() => store.client())
      .then(client => client.linkIdentity({ provider, options })),
  )
}

/** The service refuses to take the last one away; so do we, before asking. */
export async function unlinkIdentity(
  store: SessionStore,
  identity: UserIdentity,
  identities: readonly UserIdentity[],
): Promise<AuthResult<object>> {
  if (identities.length < 2) return { data: null, error: 'lastIdentity' }
  const result = await authResult(store.client().then(client => client.unlinkIdentity(identity)))
  if (result.error === null) await store.refreshUser()
  return result
}
