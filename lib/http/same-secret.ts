import 'server-only'
import { createHash, timingSafeEqual } from 'node:crypto'
import { bearerToken } from './credential'

/** Compares in constant time, whatever the length. Nothing equals an empty secret. */
export function isSameSecret(given: string, expected: string): boolean {
  return expected !== '' && timingSafeEqual(digest(given), digest(expected))
}

/** Whether the request has this secret as its bearer token. */
export function hasBearerSecret({ headers }: Request, secret: string): boolean {
  return isSameSecret(bearerToken(headers) ?? '', secret)
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
