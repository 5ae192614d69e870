import 'server-only'
import { AuthClient, type JWK } from '@supabase/supabase-js'
import {
  InvalidTokenError,
  readTokenClaims,
  readTokenHeader,
  type TokenClaims,
} from '@/lib/auth/domain/token-claims'
import type { KeySet } from './key-set'

/**
 * Checks signatures and nothing else. The library falls back to asking the auth service for HS256 and
 * for keys that it does not find; this client has nobody to ask.
 */
const signatureChecker = new AuthClient({
  url: 'https://nobody.invalid',
  autoRefreshToken: false,
  persistSession: false,
  detectSessionInUrl: false,
  skipAutoInitialize: true,
  fetch: () => Promise.reject(new Error('tokens are verified locally')),
})

/**
 * Verifies an access token locally: RS256 or ES256 by a key of the auth service's key set, then
 * expiry, issuer, audience and subject.
 *
 * @throws InvalidTokenError when the token is not to be believed
 * @throws KeySetUnavailableError when nothing can be said about it
 */
export async function verifyToken(token: string, keySet: KeySet): Promise<TokenClaims> {
  const { algorithm, keyId } = readTokenHeader(token)
  const key = await keySet.find(keyId)
  if (!key) throw new InvalidTokenError('unknown_key')
  // A key is bound to its kind: an RSA key's bytes never serve as anything else.
  if (key.kty !== (algorithm === 'RS256' ? 'RSA' : 'EC')) throw new InvalidTokenError('signature')
  const payload = await readSignedPayload(token, key)
  return readTokenClaims(payload, { issuer: keySet.issuer, nowSeconds: keySet.nowMs() / 1000 })
}

async function readSignedPayload(token: string, key: JWK): Promise<Record<string, unknown>> {
  try {
    // Expiry is checked with the other claims, once the signature holds.
    const { data } = await signatureChecker.getClaims(token, { jwks: { keys: [key] }, allowExpired: true })
    if (data) return data.claims
  } catch {
    // Whatever the library's parser or WebCrypto throws, it means the same.
  }
  throw new InvalidTokenError('signature')
}
