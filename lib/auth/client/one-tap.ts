import type { PublicAuthSettings } from '@/lib/auth/domain/public-auth-settings'
import { type AuthResult, authResult } from './auth-result'
import { createNonce, type IdTokenInput, linkIdToken, signInWithIdToken } from './id-token'
import type { SessionStore } from './session-store'

/** Google's description of its sign-in for browsers (Federated Credential Management, FedCM). */
const GOOGLE_CONFIG_URL = 'https://accounts.google.com/gsi/fedcm.json'

/**
 * With which client id, if any, the provider can be asked by the browser's own sign-in dialog, which needs no
 * script of the provider's in our page.
 */
export function oneTapClientId(settings: PublicAuthSettings, provider: string): string | null {
  const canAsk = provider === 'google' && 'IdentityCredential' in window
  return canAsk ? (settings.googleClientId ?? null) : null
}

interface OneTapInput {
  clientId: string
  captchaToken?: string
}

/** Signs in with an ID token that the browser's own dialog gets from Google, bound to a nonce of ours. */
export function signInWithOneTap(store: SessionStore, input: OneTapInput): Promise<AuthResult<object>> {
  return withIdToken('signin', input, token => signInWithIdToken(store, token))
}

/** Links the Google account that is chosen in the browser's own dialog, without leaving the page. */
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
        // Newer browsers read the nonce among the parameters, older ones beside them.
        { configURL: GOOGLE_CONFIG_URL, clientId, nonce: hashedNonce, params: { nonce: hashedNonce } },
      ],
    },
  }
  const credential = await navigator.credentials.get(options)
  return { data: readTokens(Object(credential).token), error: null }
}

/** An ID token alone; or with the access token whose hash it holds, which the service then wants to see. */
function readTokens(token: unknown): ProviderTokens | null {
  if (typeof token === 'string') return { idToken: token }
  const { id_token: idToken, access_token: accessToken } = Object(token)
  if (typeof idToken !== 'string') return null
  return { idToken, accessToken: typeof accessToken === 'string' ? accessToken : undefined }
}
