/** Why a token is not accepted. The messages are the specification's (section 5). */
export class InvalidTokenError extends Error {
  override readonly name = 'InvalidTokenError'

  constructor(readonly reason: InvalidTokenReason) {
    super(REASONS[reason])
  }
}

const REASONS = {
  malformed: 'Invalid JWT structure',
  algorithm: 'Invalid alg claim',
  unknown_key: 'No key of the key set signed this JWT',
  signature: 'Invalid JWT signature',
  missing_expiry: 'Missing exp claim',
  expired: 'JWT has expired',
  issuer: 'Invalid iss claim',
  audience: 'Invalid aud claim',
  subject: 'Missing sub claim',
} as const

export type InvalidTokenReason = keyof typeof REASONS

/** What a verified access token says. */
export interface TokenClaims {
  userId: string
  sessionId: string | null
  email: string | null
  phone: string | null
  assuranceLevel: 'aal1' | 'aal2'
  expiresAtSeconds: number
}

/** RS256 and ES256 only: with a symmetric algorithm, whoever verifies could also forge. */
const ALGORITHMS: readonly unknown[] = ['RS256', 'ES256']

/** Supabase gives every signed-in person this audience. */
const AUDIENCE = 'authenticated'

/** Access tokens of the auth service stay far below; cookies hold no more anyway. */
const TOKEN_LENGTH_MAX = 64 * 1024

/**
 * @param token as a cookie brought it: any JSON value
 * @throws InvalidTokenError malformed, algorithm or unknown_key
 */
export function readTokenHeader(token: unknown): { algorithm: 'RS256' | 'ES256'; keyId: string } {
  const parts = typeof token === 'string' && token.length <= TOKEN_LENGTH_MAX ? token.split('.') : []
  const header = parts.length === 3 ? decodePart(parts[0] ?? '') : null
  if (!header) throw new InvalidTokenError('malformed')
  if (!ALGORITHMS.includes(header.alg)) throw new InvalidTokenError('algorithm')
  if (typeof header.kid !== 'string' || header.kid === '') throw new InvalidTokenError('unknown_key')
  return { algorithm: header.alg === 'RS256' ? 'RS256' : 'ES256', keyId: header.kid }
}

/**
 * Reads the claims of a token whose signature holds.
 * @throws InvalidTokenError missing_expiry, expired, issuer, audience or subject
 */
export function readTokenClaims(
  payload: Record<string, unknown>,
  expected: { issuer: string; nowSeconds: number },
): TokenClaims {
  if (typeof payload.exp !== 'number') throw new InvalidTokenError('missing_expiry')
  if (payload.exp <= expected.nowSeconds) throw new InvalidTokenError('expired')
  if (payload.iss !== expected.issuer) throw new InvalidTokenError('issuer')
  if (![payload.aud].flat().includes(AUDIENCE)) throw new InvalidTokenError('audience')
  if (typeof payload.sub !== 'string' || payload.sub === '') throw new InvalidTokenError('subject')
  return {
    userId: payload.sub,
    sessionId: textOrNull(payload.session_id),
    email: textOrNull(payload.email),
    phone: textOrNull(payload.phone),
    assuranceLevel: payload.aal === 'aal2' ? 'aal2' : 'aal1',
    expiresAtSeconds: payload.exp,
  }
}

function decodePart(part: string): Record<string, unknown> | null {
  try {
    const bytes = Uint8Array.from(atob(part.replace(/-/g, '+').replace(/_/g, '/')), byte =>
      byte.charCodeAt(0),
    )
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return typeof value === 'object' && value !== null ? { ...value } : null
  } catch {
    return null
  }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
