import { z } from 'zod'
import { verb } from '@/lib/host-mode/domain/contract'
import { wireAmountFound, wireRecord, wireText } from '@/lib/host-mode/domain/values'

/** The secret is told by its SHA-256, as lowercase hex; the ledger never sees one in clear. */
export const credential = z.object({ kind: z.enum(['credit_id', 'api_key']), secretHash: wireText })

const balance = z.object({
  accountId: wireText,
  /** The key that was used, when the credential is an API key. */
  keyId: wireText.nullable(),
  balanceNano: wireAmountFound,
  heldNano: wireAmountFound,
  /** What a new hold may take: balance less holds, and less than what the key's limit leaves. */
  availableNano: wireAmountFound,
  /**
   * What is taken from the next money that comes in or free: the account's own debt, and what it answers for
   * because the money of a credit that owes was merged into it. None of the balance.
   */
  debtNano: wireAmountFound,
})

const createAccountInput = z.object({
  /** Null for an account that its first key alone holds, as an earlier version made them. */
  creditIdHash: wireText.nullable(),
  firstKey: z.object({ secretHash: wireText, hint: wireText }).nullable(),
  /** Where the visitor came from (the specification's utm record); counts, never contents. */
  attribution: wireRecord.nullable(),
  /** Where nobody has paid anything into it by then, the account goes. */
  removeUnpaidAfterSeconds: z.number().optional(),
})

export type Credential = z.output<typeof credential>
export type Balance = z.output<typeof balance>
export type CreateAccountInput = z.output<typeof createAccountInput>

export const ACCOUNT_VERBS = {
  createAccount: verb({
    input: createAccountInput,
    output: z.object({ accountId: wireText, firstKeyId: wireText.nullable() }),
  }),
  getBalance: verb({ input: z.object({ credential }), output: balance.nullable() }),
}
