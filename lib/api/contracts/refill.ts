import { z } from 'zod'
import { unixSeconds } from './values'

export const refillLinkSchema = z.object({ created_at: unixSeconds }).meta({ id: 'RefillLink' })

export const newRefillLinkSchema = refillLinkSchema
  .extend({ token: z.string().describe('`rf-…`, in this answer alone.') })
  .meta({ id: 'NewRefillLink' })

export type ShownRefillLink = z.output<typeof refillLinkSchema>
export type NewRefillLink = z.output<typeof newRefillLinkSchema>
