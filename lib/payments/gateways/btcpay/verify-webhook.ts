import 'server-only'
import { createHmac, timingSafeEqual } from 'node:crypto'

const SIGNATURE_PATTERN = /^sha256=([0-9a-f]{64})$/i

/** `BTCPay-Sig: sha256=HMAC256(UTF8(secret), body)`, over the bytes as they came. An empty secret verifies nothing. */
export function isSignedByBtcpay(input: {
  rawBody: Uint8Array
  signature: string | null
  secret: string
}): boolean {
  const given = SIGNATURE_PATTERN.exec(input.signature ?? '')?.[1]
  if (!given || input.secret === '') return false
  const expected = createHmac('sha256', input.secret).update(input.rawBody).digest()
  return timingSafeEqual(Buffer.from(given, 'hex'), expected)
}
