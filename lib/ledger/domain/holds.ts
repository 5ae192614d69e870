import { z } from 'zod'
import { verb } from '@/lib/host-mode/domain/contract'
import { wireAmount, wireAmountFound, wireText } from '@/lib/host-mode/domain/values'
import type { Nano } from '@/lib/money/nano'
import { credential } from './accounts'
import { keyRouting } from './keys'
import { exchangeDetail, usageDetail } from './usage'

const holdInput = z.object({
  credential,
  /** The most to hold. Held in full, or down to `minimumNano` when the balance affords no more. */
  amountNano: wireAmount,
  /** What the call can truly cost. More than the amount where the payer was promised less. */
  minimumNano: wireAmount,
  /**
   * What the call is reckoned to need, at most `minimumNano`. With less than the minimum to hold, but this
   * much, that is held and the rest of the minimum is the operator's risk, as long as the account's risk of the
   * day allows. The same as the minimum takes none.
   */
  leastNano: wireAmount,
  ttlSeconds: z.number(),
  /** SHA-256 hex of the caller's Idempotency-Key; null when none was sent. Unique per account. */
  idempotencyKeyHash: wireText.nullable(),
  /** SHA-256 hex of the request; tells a retry from another request under the same key. */
  requestHash: wireText,
  exchange: exchangeDetail,
  /** What was taken for the key's own: a hold of any other is not placed. */
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
  /** Calls of the account, or of one that it was merged with, have cost the operator too much today. */
  z.object({ outcome: z.literal('loss_limit_reached'), retryAfterSeconds: z.number() }),
  /** The key wants something else of hosts than what was asked with. */
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

const checkpoint = z.object({ costNano: wireAmount, usage: usageDetail })

const renewInput = z.object({
  holdId: wireText,
  ttlSeconds: z.number(),
  /** What the exchange has cost so far, should nobody live to settle it. Null leaves an earlier one as it is. */
  checkpoint: checkpoint.nullable(),
})

const settleInput = z.object({
  holdId: wireText,
  /** Charged up to the hold, whatever else is available; the rest is recorded as the operator's loss. */
  costNano: wireAmount,
  /** What an upstream bills beyond it: booked as the operator's loss. */
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
  /** Another finisher was first; its charge stands. */
  z.object({
    outcome: z.literal('already_resolved'),
    state: holdState,
    chargedNano: wireAmountFound,
    balanceNano: wireAmountFound,
  }),
  z.object({ outcome: z.literal('unknown_hold') }),
])

const sweepResult = z.object({
  releasedHoldIds: z.array(wireText),
  /** Charged what their last checkpoint says, at most what they held. */
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

export const HOLD_VERBS = {
  /** One whose answer was lost is swept where it was placed. */
  hold: verb({ input: holdInput, output: holdResult, isAskedOnce: true, isBelievable: isEnough }),
  /** Keeps an open hold alive; false when it is no longer open. */
  renew: verb({ input: renewInput, output: z.object({ renewed: z.boolean() }) }),
  settle: verb({ input: settleInput, output: settleResult, isBelievable: isCost }),
  release: verb({ input: releaseInput, output: settleResult, isBelievable: isCost }),
  /** Ends open holds whose time is over: charges the last checkpoint of each, releases one without. */
  sweep: verb({ input: z.object({ holdCountMax: z.number() }), output: sweepResult }),
}

/** Not more than was asked for, and not less than would do. */
function isEnough(asked: HoldInput, result: HoldResult): boolean {
  if (result.outcome !== 'held') return true
  const enough = result.amountNano >= asked.leastNano || result.amountNano === asked.amountNano
  return enough && result.amountNano <= asked.amountNano
}

/** All that it cost, and what nobody owes, is charged or booked as the operator's loss. */
function isCost(asked: ReleaseInput & { costNano?: Nano }, result: SettleResult): boolean {
  const { costNano = 0n, absorbedNano = 0n } = asked
  return result.outcome !== 'resolved' || result.chargedNano + result.lossNano === costNano + absorbedNano
}
