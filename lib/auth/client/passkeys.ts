import { type AuthResult, askService } from './auth-result'
import type { SessionStore } from './session-store'

export interface Passkey {
  id: string
  friendlyName: string | null
  /** ISO 8601. */
  createdAt: string
}

export async function listPasskeys(store: SessionStore): Promise<AuthResult<Passkey[]>> {
  const result = await askService(store, client => client.passkey.list())
  if (result.error !== null) return result
  const passkeys = result.data.map(({ id, friendly_name, created_at }) => ({
    id,
    friendlyName: friendly_name || null,
    createdAt: created_at,
  }))
  return { data: passkeys, error: null }
}

export async function addPasskey(store: SessionStore): Promise<AuthResult<object>> {
  return askService(store, client => client.registerPasskey())
}

export async function removePasskey(store: SessionStore, passkeyId: string): Promise<AuthResult<object>> {
  return askService(store, client =>
    client.passkey.delete({ passkeyId }).then(({ error }) => ({ data: {}, error })),
  )
}
