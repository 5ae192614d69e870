import { z } from 'zod'
import { API_ERROR_CODES } from '@/lib/http/api-error'

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
        .describe('With insufficient_credit and price_above_limit: what the request takes.'),
      available_usd: z.number().optional().describe('With it: what is there.'),
      reason: z.string().optional().describe('With forbidden: what a person has yet to do.'),
    }),
  })
  .meta({ id: 'Error' })
