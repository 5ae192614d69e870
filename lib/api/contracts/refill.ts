import { z } from 'zod'
import { REFILL_NAME_LENGTH_MAX } from '@/lib/payments/domain/refill-name'
import { storableText, unixSeconds } from './values'

/** One line of text, whichever way it runs: what would turn the words around it is left out. */
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
  .describe('What the link is for. Whoever has the link sees it.')

const name = z.string().nullable().describe('What the link is for, in the words of whoever made it.')

export const createRefillLinkBody = z.strictObject({ name: newName }).meta({ id: 'NewRefillLinkRequest' })

/** What the holder of a link may see of it. */
export const refillPayeeSchema = z.object({ name }).meta({ id: 'RefillPayee' })

export const refillLinkSchema = z.object({ created_at: unixSeconds, name }).meta({ id: 'RefillLink' })

export const newRefillLinkSchema = refillLinkSchema
  .extend({ token: z.string().describe('`rf-…`, in this answer alone.') })
  .meta({ id: 'NewRefillLink' })

export type RefillPayee = z.output<typeof refillPayeeSchema>
export type ShownRefillLink = z.output<typeof refillLinkSchema>
export type NewRefillLink = z.output<typeof newRefillLinkSchema>
