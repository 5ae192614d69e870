import { z } from 'zod'
import { API_ERROR_CODES } from '@/lib/http/domain/error-codes'
import { unixSeconds } from './values'

/** The body of every error, on every route; see ApiError. */
export const errorSchema = z
  .object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      code: z.enum(API_ERROR_CODES),
      param: z.string().nullable().describe('The field that is not valid.'),
      required_usd: z
        .number()
        .optional()
        .describe(
          'With insufficient_credit, key_limit_reached, payment_required and price_above_limit: the USD that the request needs.',
        ),
      available_usd: z
        .number()
        .optional()
        .describe('With insufficient_credit and key_limit_reached: the USD that are available.'),
      payment: z
        .object({
          invoice_id: z.string(),
          lightning_invoice: z.string().nullable().describe('BOLT11.'),
          amount_sats: z.int(),
          amount_usd: z.number(),
          expires_at: unixSeconds,
        })
        .optional()
        .describe('With payment_required: the Lightning invoice of the challenges in `WWW-Authenticate`.'),
      reason: z.string().optional().describe('With forbidden: what the person has to do first.'),
    }),
  })
  .meta({ id: 'Error' })
