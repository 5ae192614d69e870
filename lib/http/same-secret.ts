import 'server-only'
import { createHash, timingSafeEqual } from 'node:crypto'

/** Compares in constant time, whatever the length. Nothing equals an empty secret. */
export function isSameSecret(given: string, expected: string): boolean {
  return expected !== '' && timingSafeEqual(digest(given), digest(expected))
}

/** Whether the request has this secret as its bearer token. */
export function hasBearerSecret({ headers }: Request, secret: string): boolean {
  return isSameSecret(/^Bearer (.+)$/i.exec(headers.get('authorization') ?? '')?.[1] ?? '', secret)
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
