import { z } from 'zod'
import { type Verbs, verb } from '@/lib/host-mode/domain/contract'
import { wireText, wireTime } from '@/lib/host-mode/domain/values'
import { REFILL_NAME_LENGTH_MAX } from './refill-name'

const account = z.object({ accountId: z.uuid() })
/** What a link is for, in the words of whoever made it; a host of an older version knows of none. */
const name = wireText.min(1).max(REFILL_NAME_LENGTH_MAX).nullable().default(null)
const refillLink = z.object({ createdAt: wireTime, name })
const tokenHash = z.string().regex(/^[0-9a-f]{64}$/)

export const REFILL_LINK_VERBS = {
  /** Makes the account's link; one that was there before stops working. */
  create: verb({ input: account.extend({ tokenHash, name }), output: refillLink }),
  /** The account's own link; null when there is none. */
  get: verb({ input: account, output: refillLink.nullable() }),
  /** False when there was none. */
  revoke: verb({ input: account, output: z.object({ revoked: z.boolean() }), isAskedOnce: true }),
  /** The account that a token pays into, and what for; null for an unknown or revoked one. */
  find: verb({ input: z.object({ tokenHash: wireText }), output: account.extend({ name }).nullable() }),
}

/**
 * Links by which others pay into an account without seeing its balance or spending it. An account has
 * one at most; whoever holds its token may create invoices for the account, and nothing else.
 */
export type RefillLinks = Verbs<typeof REFILL_LINK_VERBS>
