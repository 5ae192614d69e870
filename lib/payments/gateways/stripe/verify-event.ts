import 'server-only'
import { Stripe } from 'stripe'

/** Stripe's own default: older deliveries are taken for replays. */
const TOLERANCE_SECONDS = 300

/** The event in a signed delivery, or null when its signature is wrong, missing or too old. */
export function verifyEvent(input: {
  stripe: Stripe
  rawBody: Uint8Array
  signature: string | null
  secret: string
  now: Date
}): Stripe.Event | null {
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
  } catch (error) {
    const isRefusal =
      error instanceof Stripe.errors.StripeSignatureVerificationError || error instanceof SyntaxError
    if (isRefusal) return null
    throw error
  }
}
