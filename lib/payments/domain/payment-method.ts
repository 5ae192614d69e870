import { NANO_PER_USD, type Nano } from '@/lib/money/nano'

export type MethodId = 'btc-lightning' | 'btc' | 'card'
export type Currency = 'USD' | 'SATS' | 'BTC'

export interface PaymentMethod {
  id: MethodId
  /** For clients of the API; the pages translate by id. */
  displayName: string
  currencies: readonly Currency[]
  minimumNano: Nano
  maximumNano: Nano
  /** How long an invoice can be paid. */
  expirySeconds: number
}

const BITCOIN_CURRENCIES: readonly Currency[] = ['USD', 'SATS', 'BTC']

export const LIGHTNING_METHOD: PaymentMethod = {
  id: 'btc-lightning',
  displayName: 'Bitcoin (Lightning)',
  currencies: BITCOIN_CURRENCIES,
  // Below ten cents the routing fee of a payment can exceed what it buys.
  minimumNano: NANO_PER_USD / 10n,
  // Single Lightning payments above this often find no route.
  maximumNano: 1_000n * NANO_PER_USD,
  expirySeconds: 15 * 60,
}

export const BITCOIN_METHOD: PaymentMethod = {
  id: 'btc',
  displayName: 'Bitcoin (on-chain)',
  currencies: BITCOIN_CURRENCIES,
  // Miners' fees make smaller payments pointless for both sides.
  minimumNano: 10n * NANO_PER_USD,
  maximumNano: 10_000n * NANO_PER_USD,
  // Time to sign on another device and for the transaction to be seen.
  expirySeconds: 60 * 60,
}

export const CARD_METHOD: PaymentMethod = {
  id: 'card',
  displayName: 'Credit or debit card',
  currencies: ['USD'],
  // A dollar is the promise; below half of one Stripe refuses, and its fixed fee of about 0.30 eats the rest.
  minimumNano: NANO_PER_USD,
  // Bounds the loss by one stolen card.
  maximumNano: 500n * NANO_PER_USD,
  // What Stripe gives a checkout session by itself; asking for less would take our clock to be right.
  expirySeconds: 24 * 3600,
}
