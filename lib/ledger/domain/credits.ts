import { z } from 'zod'
import { verb } from '@/lib/host-mode/domain/contract'
import { wireAmount, wireAmountFound, wireRecord, wireText, wireTime } from '@/lib/host-mode/domain/values'
import { credential } from './accounts'

const moneyMove = z.object({
  accountId: wireText,
  amountNano: wireAmount,
  source: z.enum(['gateway', 'promotion', 'operator']),
  /** Unique among all transfers, so that a repeated delivery moves nothing. */
  reference: wireText,
  memo: wireRecord,
})

const creditInput = moneyMove.extend({
  /**
   * When the payment was requested: if the credit was merged into another since, the money follows it. Absent for what
   * nobody requested: it goes wherever the credit was last merged.
   */
  askedAt: wireTime.optional(),
})

const creditResult = z.object({
  outcome: z.enum(['credited', 'already_credited']),
  balanceNano: wireAmountFound,
})

const reverseResult = z.object({
  outcome: z.enum(['reversed', 'already_reversed']),
  takenNano: wireAmountFound,
  /** What could not be taken at that moment. */
  debtNano: wireAmountFound,
  balanceNano: wireAmountFound,
})

const mergeInput = z.object({
  from: credential,
  /** A credit_id: an API key spends, it does not hold. */
  into: credential,
  reference: wireText,
  /** Ends a credit_id: it leaked. To be repeated until what was held has moved. */
  closes: z.boolean().optional(),
})

const mergeResult = z.discriminatedUnion('outcome', [
  /** `balanceNano` is that of `into`. If already merged, `movedNano` is what was moved the first time. */
  z.object({
    outcome: z.enum(['merged', 'already_merged']),
    movedNano: wireAmountFound,
    balanceNano: wireAmountFound,
    /** As `closes` asked for: nothing will follow any more. False while something is held. */
    isClosed: z.boolean().optional(),
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
   * Moves money from a system account to a person's credit, at most once per `reference`. `balanceNano` is that of
   * this credit, even if the money was passed on to another one.
   */
  credit: verb({ input: creditInput, output: creditResult }),
  /**
   * Takes back credited money (refund, chargeback), at most once per `reference`. What is available is taken at once,
   * also from credits that the money was merged into. The rest becomes a debt, which is taken from whatever is
   * released or comes in before any of that is available.
   */
  reverse: verb({ input: moneyMove, output: reverseResult }),
  /**
   * Moves what `from` has available, or owes, to `into`, at most once per `reference` of the same two. Held money
   * stays. If there is nothing to move, the reference stays unused. A key can move money only if it alone holds the
   * account. What an emptied credit still gets for earlier requests is passed on.
   */
  merge: verb({ input: mergeInput, output: mergeResult }),
}
