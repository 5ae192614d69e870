import { z } from 'zod'

/** In PayPerQ's shape. */
export const accountSchema = z
  .object({
    success: z.literal(true),
    credit_id: z.string().describe('Holds and manages the balance. Keep it secret.'),
    api_key: z.string().optional().describe('Spends the balance. Absent if no key was requested.'),
    balance: z.number(),
  })
  .meta({ id: 'Account' })

export const balanceSchema = z
  .object({
    balance: z.number().describe('US dollars.'),
    debt_usd: z
      .number()
      .optional()
      .describe(
        'USD that the account owes; present only if a payment was refunded or charged back after it had been spent. It is taken from the next top-up.',
      ),
  })
  .meta({ id: 'Balance' })

export const mergedSchema = z
  .object({
    moved_usd: z.number(),
    balance: z.number(),
    closed: z
      .boolean()
      .optional()
      .describe(
        'With `close`: whether all of the other credit has moved. `false` while something on it is held.',
      ),
  })
  .meta({ id: 'MergedBalance' })

/** The credit record of the specification. */
export const creditRecordSchema = z
  .object({ credit_id: z.string(), amount_usd: z.number() })
  .meta({ id: 'CreditRecord' })

export type MergedBalance = z.output<typeof mergedSchema>
