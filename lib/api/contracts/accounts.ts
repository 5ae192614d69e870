import { z } from 'zod'

/** PayPerQ's form. */
export const accountSchema = z
  .object({
    success: z.literal(true),
    credit_id: z.string().describe('Holds and manages the balance: keep it safe.'),
    api_key: z.string().optional().describe('Spends it. Absent where none was asked for.'),
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
        'There only where a payment was refunded or charged back after it was spent: so much is taken from the next top-up.',
      ),
  })
  .meta({ id: 'Balance' })

export const mergedSchema = z
  .object({ moved_usd: z.number(), balance: z.number() })
  .meta({ id: 'MergedBalance' })

/** The specification's record. */
export const creditRecordSchema = z
  .object({ credit_id: z.string(), amount_usd: z.number() })
  .meta({ id: 'CreditRecord' })

export type MergedBalance = z.output<typeof mergedSchema>
