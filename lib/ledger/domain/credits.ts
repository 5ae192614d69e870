import { z } from 'zod'
import { verb } from '@/lib/host-mode/domain/contract'
import { wireAmount, wireAmountFound, wireRecord, wireText, wireTime } from '@/lib/host-mode/domain/values'
import { credential } from './accounts'

const moneyMove = z.object({
  accountId: wireText,
  amountNano: wireAmount,
  source: z.enum(['gateway', 'promotion', 'operator']),
  /** Unique among all transfers: what makes a repeated delivery harmless. */
  reference: wireText,
  memo: wireRecord,
})

const creditInput = moneyMove.extend({
  /** When the money was asked for: it follows whatever was merged elsewhere since. */
  askedAt: wireTime.optional(),
})

const creditResult = z.object({
  outcome: z.enum(['credited', 'already_credited']),
  balanceNano: wireAmountFound,
})

const reverseResult = z.object({
  outcome: z.enum(['reversed', 'already_reversed']),
  takenNano: wireAmountFound,
  /** What was not there to be taken at that moment. */
  debtNano: wireAmountFound,
  balanceNano: wireAmountFound,
})

const mergeInput = z.object({
  from: credential,
  /** A credit_id: an API key spends, it does not hold. */
  into: credential,
  reference: wireText,
})

const mergeResult = z.discriminatedUnion('outcome', [
  /** `balanceNano` is that of `into`; `movedNano`, when already merged, what the first time moved. */
  z.object({
    outcome: z.enum(['merged', 'already_merged']),
    movedNano: wireAmountFound,
    balanceNano: wireAmountFound,
  }),
  z.object({ outcome: z.enum(['same_account', 'unknown_credential']) }),
  /** `from` is a key with a limit, or one of an account that has a credit_id. */
  z.object({ outcome: z.literal('key_only_spends') }),
])

export type MoneyMove = z.output<typeof moneyMove>
export type CreditInput = z.output<typeof creditInput>
export type CreditResult = z.output<typeof creditResult>
export type ReverseResult = z.output<typeof reverseResult>
export type MergeInput = z.output<typeof mergeInput>
export type MergeResult = z.output<typeof mergeResult>

export const CREDIT_VERBS = {
  /**
   * Moves money from a system account to a person's credit, at most once per `reference`; `balanceNano` is that of
   * this credit, also where the money is led on to another one.
   */
  credit: verb({ input: creditInput, output: creditResult }),
  /**
   * Takes back credited money (refund, chargeback), at most once per `reference`: what is available now is
   * taken, from the credits too that the money was merged into. The rest the person owes: it is taken from
   * whatever becomes free or comes in, before any of that is available.
   */
  reverse: verb({ input: moneyMove, output: reverseResult }),
  /**
   * Moves what `from` has available to `into`, or what it owes, at most once per `reference` of the same two.
   * What is held stays. When there is nothing to move the reference stays free. A key moves money only where it
   * alone holds the account. What a credit, once it is empty, still gets for what was asked before, is led on.
   */
  merge: verb({ input: mergeInput, output: mergeResult }),
}
