import 'server-only'
import { randomBytes } from 'node:crypto'
import { ApiError } from '@/lib/http/api-error'
import { bearerToken, hashSecret } from '@/lib/http/credential'
import { REFILL_TOKEN_PATTERN } from '../domain/refill-link-form'
import type { RefillLinks } from '../domain/refill-links'

/** 192 bits, which cannot be guessed. */
const TOKEN_BYTES = 24

/** A new token, which only the link contains, and the hash that the database keeps. */
export function newRefillToken(): { token: string; tokenHash: string } {
  const token = `rf-${randomBytes(TOKEN_BYTES).toString('base64url')}`
  return { token, tokenHash: hashSecret(token) }
}

/**
 * The account that the token in `Authorization: Bearer rf-…` pays into, and the link's name.
 * @throws ApiError invalid_credential
 */
export async function requireRefillAccount(
  request: Request,
  { refillLinks }: { refillLinks: RefillLinks },
): Promise<{ accountId: string; name: string | null }> {
  const token = bearerToken(request.headers) ?? ''
  const isToken = REFILL_TOKEN_PATTERN.test(token)
  const link = isToken ? await refillLinks.find({ tokenHash: hashSecret(token) }) : null
  if (link) return link
  throw new ApiError('invalid_credential', 'This refill link is not valid, or has been revoked.', {
    isGuess: true,
  })
}
