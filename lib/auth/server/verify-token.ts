import 'server-only'
import { decodeProtectedHeader, errors, jwtVerify, type ProtectedHeaderParameters } from 'jose'
import { ACCESS_TOKEN_LENGTH_MAX } from '@/lib/auth/domain/service-fetch'
import {
  InvalidTokenError,
  type InvalidTokenReason,
  readTokenClaims,
  type TokenClaims,
} from '@/lib/auth/domain/token-claims'
import { type KeySet, KeySetUnavailableError } from './key-set'

/** Only RS256 and ES256: with a symmetric algorithm, anybody who can verify could also forge. */
const ALGORITHMS = ['RS256', 'ES256']

/** Supabase issues every token of a signed-in person with this audience. */
const AUDIENCE = 'authenticated'

/**
 * Verifies an access token locally: RS256 or ES256 with a key of the auth service's key set, then issuer, audience, the
 * period of validity, and subject.
 *
 * @param token as the cookie contained it: any JSON value
 * @param signal ends the wait for a key
 * @throws InvalidTokenError if the token is invalid
 * @throws KeySetUnavailableError if its validity cannot be determined
 */
export async function verifyToken(
  token: unknown,
  keySet: KeySet,
  signal?: AbortSignal,
): Promise<TokenClaims> {
  if (typeof token !== 'string' || token.length > ACCESS_TOKEN_LENGTH_MAX)
    throw new InvalidTokenError('malformed')
  const header = readHeader(token)
  if (!ALGORITHMS.some(algorithm => algorithm === header.alg)) throw new InvalidTokenError('algorithm')
  // Without an id the library would accept any key of the right type.
  if (typeof header.kid !== 'string' || header.kid === '') throw new InvalidTokenError('unknown_key')
  try {
    const { payload } = await jwtVerify(token, (header, jws) => keySet.find(header, jws, signal), {
      algorithms: ALGORITHMS,
      issuer: keySet.issuer,
      audience: AUDIENCE,
      requiredClaims: ['exp'],
    })
    return readTokenClaims(payload)
  } catch (cause) {
    if (cause instanceof InvalidTokenError || cause instanceof KeySetUnavailableError) throw cause
    throw new InvalidTokenError(reasonOf(cause))
  }
}

function readHeader(token: string): ProtectedHeaderParameters {
  try {
    return decodeProtectedHeader(token)
  } catch {
    throw new InvalidTokenError('malformed')
  }
}

const REASONS_BY_CLAIM: Record<string, InvalidTokenReason> = {
  exp: 'missing_expiry',
  nbf: 'not_yet_valid',
  iss: 'issuer',
  aud: 'audience',
}

function reasonOf(cause: unknown): InvalidTokenReason {
  if (cause instanceof errors.JWTExpired) return 'expired'
  if (cause instanceof errors.JWTClaimValidationFailed) return REASONS_BY_CLAIM[cause.claim] ?? 'malformed'
  // Anything else that the library or WebCrypto throws about the signature means the same.
  const isMalformed = [errors.JWSInvalid, errors.JWTInvalid, errors.JOSENotSupported].some(
    kind => cause instanceof kind,
  )
  return isMalformed ? 'malformed' : 'signature'
}
