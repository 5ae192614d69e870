import { z } from 'zod'
import { type Verbs, verb } from '@/lib/host-mode/domain/contract'
import { wireText, wireTime } from '@/lib/host-mode/domain/values'
import { REFILL_NAME_LENGTH_MAX } from './refill-link-form'

const account = z.object({ accountId: z.uuid() })
/** What the link is for, in its creator's words. A host of an older version has no names. */
const name = wireText.min(1).max(REFILL_NAME_LENGTH_MAX).nullable().default(null)
const refillLink = z.object({ createdAt: wireTime, name })
const tokenHash = z.string().regex(/^[0-9a-f]{64}$/)

export const REFILL_LINK_VERBS = {
  /** Creates the account's link; an earlier one stops working. */
  create: verb({ input: account.extend({ tokenHash, name }), output: refillLink }),
  /** The account's link; null if there is none. */
  get: verb({ input: account, output: refillLink.nullable() }),
  /** False if there was none. */
  revoke: verb({ input: account, output: z.object({ revoked: z.boolean() }), isSentOnce: true }),
  /** The account that a token pays into, and the link's name; null for an unknown or revoked token. */
  find: verb({ input: z.object({ tokenHash: wireText }), output: account.extend({ name }).nullable() }),
}

/**
 * Links by which others can pay into an account without seeing or spending its balance. An account has one at most;
 * whoever has its token can create invoices for the account, and nothing else.
 */
export type RefillLinks = Verbs<typeof REFILL_LINK_VERBS>
