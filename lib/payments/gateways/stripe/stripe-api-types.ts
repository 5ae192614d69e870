import 'server-only'
import { z } from 'zod'
import { answeredSeconds } from '../../server/read-answer'

/** What we read of Stripe's API and of its events, in the shape of its API reference. */

/** Stripe's amounts have eight digits; anything above this is not an amount. */
const AMOUNT_MAX = 99_999_999_999
export const stripeAmount = z.int().min(0).max(AMOUNT_MAX)
/** The pattern of all Stripe ids, which are put into addresses of its API. */
export const stripeId = z.string().regex(/^\w{1,255}$/)

/** An id, or the object itself if it was expanded. */
export const stripeReference = z.union([stripeId, z.object({ id: stripeId })]).nullish()

export function idOf(reference: z.output<typeof stripeReference>): string | null {
  return typeof reference === 'object' ? (reference?.id ?? null) : (reference ?? null)
}

/** Whose it is: its list is an answer of its own, which may be that to another question. */
const ofCharge = z.object({ charge: stripeReference, payment_intent: stripeReference })
const refund = ofCharge.extend({ id: stripeId, amount: stripeAmount, status: z.string().nullish() })
export const stripeRefundsSchema = z.object({ data: z.array(refund), has_more: z.boolean().nullish() })

const charge = z.object({
  id: stripeId,
  payment_intent: stripeReference,
  amount: stripeAmount,
  amount_refunded: stripeAmount,
  disputed: z.boolean().nullish(),
  refunds: stripeRefundsSchema.nullish(),
})

const paymentIntent = z.object({
  status: z.string().nullish(),
  latest_charge: z.union([stripeId, charge]).nullish(),
})

/** Ids of what belongs to it, or the object itself if it was expanded. */
export const stripeSessionSchema = z.object({
  id: stripeId,
  client_reference_id: z.string().nullish(),
  status: z.string().nullish(),
  payment_status: z.string(),
  currency: z.string().nullish(),
  amount_total: stripeAmount.nullish(),
  payment_intent: z.union([stripeId, paymentIntent]).nullish(),
  url: z.string().nullish(),
  expires_at: answeredSeconds.nullish(),
})

export const stripeSessionsSchema = z.object({
  data: z.array(z.object({ id: stripeId, payment_intent: z.unknown() })),
})

export const stripeDisputesSchema = z.object({
  data: z.array(ofCharge.extend({ id: stripeId, amount: stripeAmount, status: z.string() })),
})

export type OfStripeCharge = z.output<typeof ofCharge>
export type StripeSession = z.output<typeof stripeSessionSchema>
export type StripeCharge = z.output<typeof charge>
export type StripeRefund = z.output<typeof refund>
export type StripeDispute = z.output<typeof stripeDisputesSchema>['data'][number]
