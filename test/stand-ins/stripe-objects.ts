import { randomUUID } from 'node:crypto'

/** The objects of Stripe's API that make up a card payment, with the fields in its reference. */

export interface StripeSession {
  id: string
  object: 'checkout.session'
  amount_total: number
  cancel_url: string | null
  client_reference_id: string | null
  created: number
  currency: string
  expires_at: number
  livemode: false
  metadata: Record<string, string>
  mode: 'payment'
  payment_intent: string | null
  payment_status: 'paid' | 'unpaid' | 'no_payment_required'
  status: 'open' | 'complete' | 'expired'
  success_url: string | null
  url: string | null
}

export interface StripePaymentIntent {
  id: string
  object: 'payment_intent'
  amount: number
  currency: string
  latest_charge: string | null
  metadata: Record<string, string>
  status: 'processing' | 'succeeded' | 'requires_payment_method'
}

export interface StripeCharge {
  id: string
  object: 'charge'
  amount: number
  amount_refunded: number
  currency: string
  disputed: boolean
  metadata: Record<string, string>
  paid: boolean
  payment_intent: string
  refunded: boolean
  status: 'succeeded'
}

export interface StripeRefund {
  id: string
  object: 'refund'
  amount: number
  charge: string
  currency: string
  payment_intent: string
  status: 'pending' | 'succeeded' | 'failed' | 'canceled'
}

export interface StripeDispute {
  id: string
  object: 'dispute'
  amount: number
  charge: string
  currency: string
  payment_intent: string
  reason: string
  status: 'warning_needs_response' | 'needs_response' | 'under_review' | 'won' | 'lost'
}

export function stripeId(prefix: string): string {
  return `${prefix}_${randomUUID().replaceAll('-', '')}`
}

/** `a[b][0][c]=d`, as Stripe's clients encode nested parameters; a flat map is enough for lookups. */
export function readForm(text: string): Map<string, string> {
  return new Map(new URLSearchParams(text))
}

function formMetadata(form: Map<string, string>, prefix = 'metadata'): Record<string, string> {
  const entries = [...form].flatMap(([name, value]) => {
    const key = name.startsWith(`${prefix}[`) ? name.slice(prefix.length + 1, -1) : null
    return key === null ? [] : [[key, value]]
  })
  return Object.fromEntries(entries)
}

export function newSession(form: Map<string, string>, url: string, nowSeconds: number): StripeSession {
  const id = stripeId('cs_test')
  const quantity = Number(form.get('line_items[0][quantity]') ?? '1')
  return {
    id,
    object: 'checkout.session',
    amount_total: Number(form.get('line_items[0][price_data][unit_amount]')) * quantity,
    cancel_url: form.get('cancel_url') ?? null,
    client_reference_id: form.get('client_reference_id') ?? null,
    created: nowSeconds,
    currency: form.get('line_items[0][price_data][currency]') ?? 'usd',
    expires_at: Number(form.get('expires_at') ?? nowSeconds + 24 * 3600),
    livemode: false,
    metadata: formMetadata(form),
    mode: 'payment',
    payment_intent: null,
    payment_status: 'unpaid',
    status: 'open',
    success_url: form.get('success_url') ?? null,
    url: `${url}/c/pay/${id}`,
  }
}
