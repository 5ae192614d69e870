import type { PublicAuthSettings } from '@/lib/auth/domain/public-auth-settings'
import { type AuthResult, authResult } from './auth-result'
import { createNonce, type IdTokenInput, linkIdToken, signInWithIdToken } from './id-token'
import type { SessionStore } from './session-store'

/** Google's configuration for signing in through the browser (Federated Credential Management, FedCM). */
const GOOGLE_CONFIG_URL = 'https://accounts.google.com/gsi/fedcm.json'

/**
 * The client id for the browser's own sign-in dialog, which needs none of the provider's scripts in our page; null if
 * the provider cannot be asked that way.
 */
export function oneTapClientId(settings: PublicAuthSettings, provider: string): string | null {
  const canAsk = provider === 'google' && 'IdentityCredential' in window
  return canAsk ? (settings.googleClientId ?? null) : null
}

interface OneTapInput {
  clientId: string
  captchaToken?: string
}

/** Signs in with an ID token that the browser's own dialog gets from Google, bound to our nonce. */
export function signInWithOneTap(store: SessionStore, input: OneTapInput): Promise<AuthResult<object>> {
  return withIdToken('signin', input, token => signInWithIdToken(store, token))
}

/** Links the Google account chosen in the browser's own dialog, without leaving the page. */
export function linkWithOneTap(store: SessionStore, input: OneTapInput): Promise<AuthResult<object>> {
  return withIdToken('use', input, token => linkIdToken(store, token))
}

async function withIdToken(
  context: 'signin' | 'use',
  { clientId, captchaToken }: OneTapInput,
  take: (token: IdTokenInput) => Promise<AuthResult<object>>,
): Promise<AuthResult<object>> {
  const { nonce, hashedNonce } = await createNonce()
  const tokens = await authResult(requestTokens(context, clientId, hashedNonce))
  if (tokens.error !== null) return tokens
  return take({ provider: 'google', ...tokens.data, nonce, captchaToken })
}

type ProviderTokens = Pick<IdTokenInput, 'idToken' | 'accessToken'>

async function requestTokens(
  context: 'signin' | 'use',
  clientId: string,
  hashedNonce: string,
): Promise<{ data: ProviderTokens | null; error: null }> {
  const options = {
    mediation: 'required' as const,
    identity: {
      context,
      providers: [
        // Newer browsers read the nonce from `params`, older ones from beside it.
        { configURL: GOOGLE_CONFIG_URL, clientId, nonce: hashedNonce, params: { nonce: hashedNonce } },
      ],
    },
  }
  const credential = await navigator.credentials.get(options)
  return { data: readTokens(Object(credential).token), error: null }
}

/** Either just an ID token, or also the access token whose hash it contains, which the service then requires. */
function readTokens(token: unknown): ProviderTokens | null {
  if (typeof token === 'string') return { idToken: token }
  const { id_token: idToken, access_token: accessToken } = Object(token)
  if (typeof idToken !== 'string') return null
  return { idToken, accessToken: typeof accessToken === 'string' ? accessToken : undefined }
}
