import { z } from 'zod'
import { wireAmountFound, wireText } from '@/lib/host-mode/domain/values'
import { NANO_PER_USD } from '@/lib/money/nano'
import { CURRENCIES, METHOD_IDS } from './payment-method'

/** A method of paying, as a gateway offers it. */
export const paymentMethod = z.object({
  id: z.enum(METHOD_IDS),
  /** For clients of the API; pages translate the id instead. */
  displayName: wireText,
  currencies: z.array(z.enum(CURRENCIES)).min(1).max(CURRENCIES.length).readonly(),
  minimumNano: wireAmountFound,
  maximumNano: wireAmountFound,
  /** How long an invoice can be paid. */
  expirySeconds: z.number().int().positive(),
})

export type PaymentMethod = z.output<typeof paymentMethod>

export const LIGHTNING_METHOD: PaymentMethod = {
  id: 'btc-lightning',
  displayName: 'Bitcoin (Lightning)',
  currencies: CURRENCIES,
  // Below ten cents the routing fee of a payment can exceed what it buys.
  minimumNano: NANO_PER_USD / 10n,
  // Single Lightning payments above this often find no route.
  maximumNano: 1_000n * NANO_PER_USD,
  expirySeconds: 15 * 60,
}

export const BITCOIN_METHOD: PaymentMethod = {
  id: 'btc',
  displayName: 'Bitcoin (on-chain)',
  currencies: CURRENCIES,
  // Miners' fees make smaller payments pointless for both sides.
  minimumNano: 10n * NANO_PER_USD,
  maximumNano: 10_000n * NANO_PER_USD,
  // Time to sign on another device, and for the transaction to be seen.
  expirySeconds: 60 * 60,
}

export const CARD_METHOD: PaymentMethod = {
  id: 'card',
  displayName: 'Credit or debit card',
  currencies: ['USD'],
  // A dollar is what the site promises; Stripe refuses less than half of one, and its fixed fee of about $0.30 would
  // eat the rest.
  minimumNano: NANO_PER_USD,
  // Limits the loss from one stolen card.
  maximumNano: 500n * NANO_PER_USD,
  // Stripe's default for a checkout session; asking for less would rely on our clock being right.
  expirySeconds: 24 * 3600,
}
