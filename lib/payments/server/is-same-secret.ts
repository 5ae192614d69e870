import 'server-only'
import { createHash, timingSafeEqual } from 'node:crypto'

/** Takes the same time whatever differs, length included. Nothing equals an empty secret. */
export function isSameSecret(given: string, expected: string): boolean {
  return expected !== '' && timingSafeEqual(digest(given), digest(expected))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
