import 'server-only'
import { z } from 'zod'

/**
 * What we read of Stripe's events. They are signed, and still only believed in the shape that its API
 * reference gives them.
 */

/** Stripe takes eight digits of a currency's smallest unit; beyond these, an amount is none. */
const AMOUNT_MAX = 99_999_999_999
const amount = z.int().min(0).max(AMOUNT_MAX)
/** As all of Stripe's ids: they are put into its API's addresses. */
const id = z.string().regex(/^\w{1,255}$/)
/** An id, or the object itself where it was expanded. */
const reference = z.union([id, z.object({ id }).transform(object => object.id)]).nullish()

export const stripeEventSchema = z.object({ type: z.string(), data: z.object({ object: z.unknown() }) })

export const stripeSessionSchema = z.object({ id })

export const stripeChargeSchema = z.object({
  amount_refunded: amount,
  currency: z.string(),
  payment_intent: reference,
})

export const stripeDisputeSchema = z.object({
  id,
  amount,
  currency: z.string(),
  payment_intent: reference,
  status: z.string(),
})
