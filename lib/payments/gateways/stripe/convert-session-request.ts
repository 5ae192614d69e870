import 'server-only'
import type { Stripe } from 'stripe'
import { NANO_PER_CENT, type Nano } from '@/lib/money/nano'
import type { GatewayInvoiceRequest } from '../../domain/gateway'

export function centsToNano(cents: number): Nano {
  return BigInt(cents) * NANO_PER_CENT
}

/**
 * A Checkout session for one card payment. It contains our invoice's public id, no secret, and nothing about the
 * person.
 */
export function convertSessionRequest(
  request: GatewayInvoiceRequest,
  productName: string,
): Stripe.Checkout.SessionCreateParams {
  const metadata = { invoice_id: request.invoiceId }
  return {
    mode: 'payment',
    client_reference_id: request.invoiceId,
    metadata,
    payment_intent_data: { metadata },
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: 'usd',
          unit_amount: Number(request.amountNano / NANO_PER_CENT),
          product_data: { name: productName },
        },
      },
    ],
    success_url: request.returnUrl,
    cancel_url: request.returnUrl,
  }
}
