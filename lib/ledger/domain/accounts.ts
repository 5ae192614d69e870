import { z } from 'zod'
import { verb } from '@/lib/host-mode/domain/contract'
import { wireAmountFound, wireRecord, wireText } from '@/lib/host-mode/domain/values'

/** A secret as its SHA-256 in lowercase hex; the ledger never sees one in clear. */
export const credential = z.object({ kind: z.enum(['credit_id', 'api_key']), secretHash: wireText })

const balance = z.object({
  accountId: wireText,
  /** The id of the API key, if the credential is one. */
  keyId: wireText.nullable(),
  balanceNano: wireAmountFound,
  heldNano: wireAmountFound,
  /** What a new hold may take: the balance less all holds, and no more than the key's limit leaves. */
  availableNano: wireAmountFound,
  /**
   * What will be taken from the next money that comes in or is released: the account's own debt, and that of credits
   * that were merged into it. Not deducted from the balance.
   */
  debtNano: wireAmountFound,
})

const createAccountInput = z.object({
  /** Null for an account that only its first key holds. */
  creditIdHash: wireText.nullable(),
  firstKey: z.object({ secretHash: wireText, hint: wireText }).nullable(),
  /** The campaign that the visitor came from (the specification's utm record). */
  attribution: wireRecord.nullable(),
  /** The account is removed if nobody has paid into it by then. */
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
  /**
   * The account of a credit_id that was closed, by which nothing but what still runs on it can be found; null if it is
   * unknown or open.
   */
  findClosedAccount: verb({ input: z.object({ credential }), output: wireText.nullable() }),
}
