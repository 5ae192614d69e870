import { type AuthResult, authResult } from './auth-result'
import type { SessionStore } from './session-store'

/** Ends the session in this browser, or all of the person's sessions; other tabs follow. */
export async function signOut(store: SessionStore, scope: 'local' | 'global'): Promise<AuthResult<object>> {
  return authResult(store.signOut(scope).then(({ error }) => ({ data: {}, error })))
}
