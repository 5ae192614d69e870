import { z } from 'zod'
import { verb } from '@/lib/host-mode/domain/contract'
import { wireAmount, wireAmountFound, wireText } from '@/lib/host-mode/domain/values'
import type { Nano } from '@/lib/money/nano'
import { credential } from './accounts'
import { keyRouting } from './keys'
import { exchangeDetail, usageDetail } from './usage'

const holdInput = z.object({
  credential,
  /** The most to hold: held in full, or as much as the balance affords down to `minimumNano`. */
  amountNano: wireAmount,
  /** The true bound of the smallest useful call. More than the amount if the payer was promised less. */
  minimumNano: wireAmount,
  /**
   * What the call is estimated to need, at most `minimumNano`. If the balance affords this much but not the minimum,
   * it is held, and the rest of the minimum is the operator's risk, within the account's limit of the day. Equal to the
   * minimum, it takes no risk.
   */
  leastNano: wireAmount,
  ttlSeconds: z.number(),
  /** SHA-256 in hex of the caller's idempotency key; null if none was sent. Unique per account. */
  idempotencyKeyHash: wireText.nullable(),
  /** SHA-256 in hex of the request: distinguishes a retry from another request under the same key. */
  requestHash: wireText,
  exchange: exchangeDetail,
  /** The key's routing that the request was priced with; the hold is refused if it is another one by now. */
  keyRouting: keyRouting.nullable().optional(),
})

const holdState = z.enum(['open', 'settled', 'released'])

const refused = { availableNano: wireAmountFound, requiredNano: wireAmountFound }

const holdResult = z.discriminatedUnion('outcome', [
  z.object({
    outcome: z.literal('held'),
    holdId: wireText,
    accountId: wireText,
    keyId: wireText.nullable(),
    amountNano: wireAmountFound,
  }),
  z.object({ outcome: z.literal('unknown_credential') }),
  z.object({ outcome: z.literal('insufficient_credit'), ...refused }),
  z.object({ outcome: z.literal('key_limit_reached'), ...refused }),
  /** Calls of the account, or of one that it was merged with, have lost the operator too much today. */
  z.object({ outcome: z.literal('loss_limit_reached'), retryAfterSeconds: z.number() }),
  /** The key has another routing than `keyRouting`. */
  z.object({ outcome: z.literal('other_routing'), keyRouting: keyRouting.nullable() }),
  /** The idempotency key was seen before on this account. */
  z.object({
    outcome: z.literal('duplicate'),
    holdId: wireText,
    accountId: wireText,
    sameRequest: z.boolean(),
    state: holdState,
  }),
])

const checkpoint = z.object({
  costNano: wireAmount,
  /** What an upstream bills beyond the cost, as in a settlement. */
  absorbedNano: wireAmount.optional(),
  usage: usageDetail,
})

const renewInput = z.object({
  holdId: wireText,
  ttlSeconds: z.number(),
  /** The cost so far, in case this process dies before it settles. Null leaves an earlier checkpoint as it is. */
  checkpoint: checkpoint.nullable(),
})

const settleInput = z.object({
  holdId: wireText,
  /** Charged up to the hold, whatever else is available. The rest is booked as the operator's loss. */
  costNano: wireAmount,
  /** What an upstream bills beyond the cost: booked as the operator's loss. */
  absorbedNano: wireAmount.optional(),
  usage: usageDetail,
})

const releaseInput = z.object({
  holdId: wireText,
  /** What an upstream bills although nobody owes it: booked as the operator's loss. */
  absorbedNano: wireAmount.optional(),
  usage: usageDetail,
})

const settleResult = z.discriminatedUnion('outcome', [
  z.object({
    outcome: z.literal('resolved'),
    chargedNano: wireAmountFound,
    lossNano: wireAmountFound,
    balanceNano: wireAmountFound,
  }),
  /** Somebody else ended the hold first; that charge stands. */
  z.object({
    outcome: z.literal('already_resolved'),
    state: holdState,
    chargedNano: wireAmountFound,
    /** What was lost beyond that, if a sweep ended the hold before the call had. */
    lossNano: wireAmountFound.optional(),
    balanceNano: wireAmountFound,
  }),
  z.object({ outcome: z.literal('unknown_hold') }),
])

const sweepResult = z.object({
  releasedHoldIds: z.array(wireText),
  /** Charged by their last checkpoint, at most what they held. */
  settledHoldIds: z.array(wireText),
})

export type HoldInput = z.output<typeof holdInput>
export type HoldState = z.output<typeof holdState>
export type HoldResult = z.output<typeof holdResult>
export type Checkpoint = z.output<typeof checkpoint>
export type RenewInput = z.output<typeof renewInput>
export type SettleInput = z.output<typeof settleInput>
export type ReleaseInput = z.output<typeof releaseInput>
export type SettleResult = z.output<typeof settleResult>
export type SweepResult = z.output<typeof sweepResult>

export const NOTHING_SWEPT: SweepResult = { releasedHoldIds: [], settledHoldIds: [] }

export const HOLD_VERBS = {
  /** Not repeated if its answer is lost: the host then sweeps the hold. */
  hold: verb({ input: holdInput, output: holdResult, isSentOnce: true, isBelievable: isEnough }),
  /** Extends an open hold; false if it is no longer open. */
  renew: verb({ input: renewInput, output: z.object({ renewed: z.boolean() }) }),
  settle: verb({ input: settleInput, output: settleResult, isBelievable: isCost }),
  release: verb({ input: releaseInput, output: settleResult, isBelievable: isCost }),
  /** Ends expired holds: charges the last checkpoint of each, or releases it if that has no cost, or there is none. */
  sweep: verb({ input: z.object({ holdCountMax: z.number() }), output: sweepResult }),
}

/** No more than was asked for, and no less than the least. */
function isEnough(asked: HoldInput, result: HoldResult): boolean {
  if (result.outcome !== 'held') return true
  const enough = result.amountNano >= asked.leastNano || result.amountNano === asked.amountNano
  return enough && result.amountNano <= asked.amountNano
}

/** Cost and absorbed amount must add up to what was charged and what was booked as the operator's loss. */
function isCost(asked: ReleaseInput & { costNano?: Nano }, result: SettleResult): boolean {
  const { costNano = 0n, absorbedNano = 0n } = asked
  return result.outcome !== 'resolved' || result.chargedNano + result.lossNano === costNano + absorbedNano
}
