import 'server-only'
import type { Stripe } from 'stripe'

/** Stripe's own default: older deliveries are taken for replays. */
const TOLERANCE_SECONDS = 300

/**
 * The event in a signed delivery, of whatever shape; null when its signature is wrong, missing or too old.
 * Stripe's library throws errors of several kinds at a header that is none of Stripe's, and at a body that
 * is no event: whatever it throws, nothing was proven.
 */
export function verifyEvent(input: {
  stripe: Stripe
  rawBody: Uint8Array
  signature: string | null
  secret: string
  now: Date
}): unknown {
  if (input.secret === '' || !input.signature) return null
  try {
    return input.stripe.webhooks.constructEvent(
      Buffer.from(input.rawBody),
      input.signature,
      input.secret,
      TOLERANCE_SECONDS,
      undefined,
      input.now.getTime(),
    )
  } catch {
    return null
  }
}
