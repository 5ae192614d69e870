import type { AssuranceLevel } from './auth-user'

/** Why a token is rejected. Includes the specification's messages for algorithm and expiry. */
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
  not_yet_valid: 'JWT is not valid yet',
  issuer: 'Invalid iss claim',
  audience: 'Invalid aud claim',
  subject: 'Missing sub claim',
} as const

export type InvalidTokenReason = keyof typeof REASONS

/** The claims of a verified access token. */
export interface TokenClaims {
  userId: string
  email: string | null
  phone: string | null
  assuranceLevel: AssuranceLevel
}

/**
 * Reads the claims of a verified token.
 * @throws InvalidTokenError missing_expiry or subject
 */
export function readTokenClaims(payload: Record<string, unknown>): TokenClaims {
  if (typeof payload.exp !== 'number') throw new InvalidTokenError('missing_expiry')
  if (typeof payload.sub !== 'string' || payload.sub === '') throw new InvalidTokenError('subject')
  return {
    userId: payload.sub,
    email: textOrNull(payload.email),
    phone: textOrNull(payload.phone),
    assuranceLevel: payload.aal === 'aal2' ? 'aal2' : 'aal1',
  }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
