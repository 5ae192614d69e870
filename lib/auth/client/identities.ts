import type { UserIdentity } from '@supabase/supabase-js'
import { type AuthResult, askService } from './auth-result'
import type { SessionStore } from './session-store'

export type { UserIdentity } from '@supabase/supabase-js'

export async function listIdentities(store: SessionStore): Promise<AuthResult<UserIdentity[]>> {
  const result = await askService(store, client => client.getUserIdentities())
  return result.error === null ? { data: result.data.identities, error: null } : result
}

/** The service refuses to remove the last identity; so does this, before asking. */
export async function unlinkIdentity(
  store: SessionStore,
  identity: UserIdentity,
  identities: readonly UserIdentity[],
): Promise<AuthResult<object>> {
  if (identities.length < 2) return { data: null, error: 'lastIdentity' }
  const result = await askService(store, client => client.unlinkIdentity(identity))
  if (result.error === null) await store.refreshUser()
  return result
}
