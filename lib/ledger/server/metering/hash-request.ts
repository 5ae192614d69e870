import 'server-only'
import { createHash } from 'node:crypto'
import type { ExchangeDetail } from '../../domain/ledger'

/**
 * Tells a retry from another request under the same idempotency key. Each part with its length, so that
 * no two lists of parts are the same bytes.
 */
export function hashRequest(
  queryType: ExchangeDetail['queryType'],
  parts: readonly (string | Uint8Array)[],
): string {
  const hash = createHash('sha256').update(queryType)
  for (const part of parts) {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part
    hash.update(`\n${bytes.byteLength}\n`).update(bytes)
  }
  return hash.digest('hex')
}
