import { type AuthResult, authResult } from './auth-result'
import { createNonce, signInWithIdToken } from './id-token'
import type { SessionStore } from './session-store'

/** Google's description of its sign-in for browsers (Federated Credential Management, FedCM). */
const GOOGLE_CONFIG_URL = 'https://accounts.google.com/gsi/fedcm.json'

/** Whether the browser has a sign-in dialog of its own, which needs no script of the provider's in our page. */
export function supportsOneTap(): boolean {
  return 'IdentityCredential' in window
}

/** Signs in with an ID token that the browser's own dialog gets from Google, bound to a nonce of ours. */
export async function signInWithOneTap(
  store: SessionStore,
  googleClientId: string,
): Promise<AuthResult<object>> {
  const { nonce, hashedNonce } = await createNonce()
  const token = await authResult(requestIdToken(googleClientId, hashedNonce))
  if (token.error !== null) return token
  return signInWithIdToken(store, { provider: 'google', idToken: token.data, nonce })
}

async function requestIdToken(
  clientId: string,
  hashedNonce: string,
): Promise<{ data: string | null; error: null }> {
  const options = {
    mediation: 'required' as const,
    identity: {
      context: 'signin',
      providers: [
        // Newer browsers read the nonce among the parameters, older ones beside them.
        { configURL: GOOGLE_CONFIG_URL, clientId, nonce: hashedNonce, params: { nonce: hashedNonce } },
      ],
    },
  }
  const credential = await navigator.credentials.get(options)
  const { token } = Object(credential)
  return { data: typeof token === 'string' ? token : null, error: null }
}
