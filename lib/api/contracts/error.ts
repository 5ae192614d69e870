import { z } from 'zod'
import { API_ERROR_CODES } from '@/lib/http/api-error'
import { unixSeconds } from './values'

/** What every route answers when something went wrong; see ApiError. */
export const errorSchema = z
  .object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      code: z.enum(API_ERROR_CODES),
      param: z.string().nullable().describe('The field that is wrong.'),
      required_usd: z
        .number()
        .optional()
        .describe(
          'With insufficient_credit, payment_required and price_above_limit: what the request takes.',
        ),
      available_usd: z.number().optional().describe('With it: what is there.'),
      payment: z
        .object({
          invoice_id: z.string(),
          lightning_invoice: z.string().nullable().describe('BOLT11.'),
          amount_sats: z.int(),
          amount_usd: z.number(),
          expires_at: unixSeconds,
        })
        .optional()
        .describe('With payment_required: the invoice of the challenges in `WWW-Authenticate`.'),
      reason: z.string().optional().describe('With forbidden: what a person has yet to do.'),
    }),
  })
  .meta({ id: 'Error' })
