import 'server-only'
import { createHash, timingSafeEqual } from 'node:crypto'
import { ApiError } from './api-error'
import { bearerToken } from './credential'

/** Compares in constant time, whatever the length. Nothing equals an empty secret. */
export function isSameSecret(given: string, expected: string): boolean {
  return expected !== '' && timingSafeEqual(digest(given), digest(expected))
}

/** Whether the request has this secret as its bearer token. */
export function hasBearerSecret({ headers }: Request, secret: string): boolean {
  return isSameSecret(bearerToken(headers) ?? '', secret)
}

/**
 * For a route of the operator's own tools, which does not exist while the setting that opens it is not set.
 * @throws ApiError not_found | invalid_credential
 */
export function requireBearerSecret(request: Request, setting: string, secret: string | null): void {
  if (secret === null) throw new ApiError('not_found', `Set ${setting} to use this route.`)
  if (hasBearerSecret(request, secret)) return
  throw new ApiError('invalid_credential', `Send ${setting} as "Authorization: Bearer …".`)
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
