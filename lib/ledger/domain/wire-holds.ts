import { z } from 'zod'
import { wireExchange, wireUsage } from './wire-usage'
import { wireAmount, wireAmountFound, wireText } from './wire-values'

export const wireCredential = z.object({ kind: z.enum(['credit_id', 'api_key']), secretHash: wireText })

const holdState = z.enum(['open', 'settled', 'released'])

export const wireHold = {
  input: z.object({
    credential: wireCredential,
    amountNano: wireAmount,
    minimumNano: wireAmount,
    leastNano: wireAmount,
    ttlSeconds: z.number(),
    idempotencyKeyHash: wireText.nullable(),
    requestHash: wireText,
    exchange: wireExchange,
  }),
  output: z.discriminatedUnion('outcome', [
    z.object({
      outcome: z.literal('held'),
      holdId: wireText,
      accountId: wireText,
      keyId: wireText.nullable(),
      amountNano: wireAmountFound,
    }),
    z.object({ outcome: z.literal('unknown_credential') }),
    z.object({
      outcome: z.literal('insufficient_credit'),
      availableNano: wireAmountFound,
      requiredNano: wireAmountFound,
    }),
    z.object({
      outcome: z.literal('key_limit_reached'),
      availableNano: wireAmountFound,
      requiredNano: wireAmountFound,
    }),
    z.object({
      outcome: z.literal('duplicate'),
      holdId: wireText,
      accountId: wireText,
      sameRequest: z.boolean(),
      state: holdState,
    }),
  ]),
}

export const wireRenew = {
  input: z.object({
    holdId: wireText,
    ttlSeconds: z.number(),
    checkpoint: z.object({ costNano: wireAmount, usage: wireUsage }).nullable(),
  }),
  output: z.object({ renewed: z.boolean() }),
}

const settleResult = z.discriminatedUnion('outcome', [
  z.object({
    outcome: z.literal('resolved'),
    chargedNano: wireAmountFound,
    lossNano: wireAmountFound,
    balanceNano: wireAmountFound,
  }),
  z.object({
    outcome: z.literal('already_resolved'),
    state: holdState,
    chargedNano: wireAmountFound,
    balanceNano: wireAmountFound,
  }),
  z.object({ outcome: z.literal('unknown_hold') }),
])

export const wireSettle = {
  input: z.object({
    holdId: wireText,
    costNano: wireAmount,
    absorbedNano: wireAmount.optional(),
    usage: wireUsage,
  }),
  output: settleResult,
}

export const wireRelease = {
  input: z.object({ holdId: wireText, absorbedNano: wireAmount.optional(), usage: wireUsage }),
  output: settleResult,
}

export const wireSweep = {
  input: z.object({ holdCountMax: z.number() }),
  output: z.object({ releasedHoldIds: z.array(wireText), settledHoldIds: z.array(wireText) }),
}
