import { z } from 'zod'
import { REFILL_NAME_LENGTH_MAX } from '@/lib/payments/domain/refill-link-form'
import { storableText, unixSeconds } from './values'

/** One line of text in any direction. Characters that would reverse the text around it are removed. */
const newName = storableText
  .max(REFILL_NAME_LENGTH_MAX)
  .transform(
    text =>
      text
        .replace(/\p{Bidi_Control}/gu, '')
        .replace(/[\p{Cc}\s]+/gu, ' ')
        .trim() || null,
  )
  .nullable()
  .default(null)
  .describe('What the link is for. Anybody who has the link can read it.')

const name = z.string().nullable().describe('What the link is for, as its owner wrote it.')

export const createRefillLinkBody = z.strictObject({ name: newName }).meta({ id: 'NewRefillLinkRequest' })

/** The part of a link that anybody who has it may see. */
export const refillPayeeSchema = z.object({ name }).meta({ id: 'RefillPayee' })

export const refillLinkSchema = z.object({ created_at: unixSeconds, name }).meta({ id: 'RefillLink' })

export const newRefillLinkSchema = refillLinkSchema
  .extend({ token: z.string().describe('`rf-…`. It is shown only in this answer.') })
  .meta({ id: 'NewRefillLink' })

export type RefillPayee = z.output<typeof refillPayeeSchema>
export type ShownRefillLink = z.output<typeof refillLinkSchema>
export type NewRefillLink = z.output<typeof newRefillLinkSchema>
