import { bytesToHex } from '@noble/hashes/utils.js'
import { type AuthResult, askService } from './auth-result'
import { finishSignIn } from './remember-auth-flow'
import type { SessionStore } from './session-store'

export interface IdTokenInput {
  provider: string
  idToken: string
  /** The original nonce; the token contains its SHA-256. */
  nonce: string
  accessToken?: string
  captchaToken?: string
}

const NONCE_BYTES = 32

/**
 * A nonce for one sign-in: the provider gets the hash, the auth service the nonce itself. A token that was intercepted
 * elsewhere then signs nobody in.
 */
export async function createNonce(): Promise<{ nonce: string; hashedNonce: string }> {
  const nonce = bytesToHex(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)))
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(nonce))
  return { nonce, hashedNonce: bytesToHex(new Uint8Array(digest)) }
}

export async function signInWithIdToken(
  store: SessionStore,
  input: IdTokenInput,
): Promise<AuthResult<object>> {
  const signedIn = await askService<object>(store, client => client.signInWithIdToken(credentials(input)))
  return finishSignIn(store, signedIn)
}

/** Links the identity in the token to the person who is signed in. */
export async function linkIdToken(store: SessionStore, input: IdTokenInput): Promise<AuthResult<object>> {
  return askService<object>(store, client => client.linkIdentity(credentials(input)))
}

function credentials({ provider, idToken, accessToken, nonce, captchaToken }: IdTokenInput) {
  return { provider, token: idToken, access_token: accessToken, nonce, options: { captchaToken } }
}
