import 'server-only'
import { Stripe } from 'stripe'
import { GatewayError } from '../../domain/gateway'

/** Stripe answers within a second; a page is waiting. */
const TIMEOUT_MS = 15_000
/** Safe, because every call that writes has an idempotency key. */
const NETWORK_RETRY_COUNT = 1

export interface StripeSettings {
  secretKey: string
  webhookSecret: string
  /** An address other than Stripe's, for a stand-in. */
  apiBase?: string | null
}

export function createStripeClient({ secretKey, apiBase }: StripeSettings): Stripe {
  const base = apiBase ? new URL(apiBase) : null
  return new Stripe(secretKey, {
    timeout: TIMEOUT_MS,
    maxNetworkRetries: NETWORK_RETRY_COUNT,
    telemetry: false,
    ...(base && {
      host: base.hostname,
      port: base.port || (base.protocol === 'http:' ? '80' : '443'),
      protocol: base.protocol === 'http:' ? 'http' : 'https',
    }),
  })
}

/** Runs a call; null if Stripe knows no such object. @throws GatewayError without Stripe's own message */
export async function askStripe<Answer>(call: () => Promise<Answer>): Promise<Answer | null> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error
    if (error.code === 'resource_missing') return null
    throw new GatewayError(
      `Stripe gave no usable answer (${error.type}, status ${error.statusCode ?? 'none'}).`,
    )
  }
}
