import { z } from 'zod'
import { wireCredential } from './wire-holds'
import { wireUsageRecord } from './wire-usage'
import { wireAmount, wireAmountFound, wireRecord, wireText, wireTime } from './wire-values'

export const wireCreateAccount = {
  input: z.object({
    creditIdHash: wireText.nullable(),
    firstKey: z.object({ secretHash: wireText, hint: wireText }).nullable(),
    attribution: wireRecord.nullable(),
  }),
  output: z.object({ accountId: wireText, firstKeyId: wireText.nullable() }),
}

export const wireGetBalance = {
  input: z.object({ credential: wireCredential }),
  output: z
    .object({
      accountId: wireText,
      keyId: wireText.nullable(),
      balanceNano: wireAmountFound,
      heldNano: wireAmountFound,
      availableNano: wireAmountFound,
      debtNano: wireAmountFound,
    })
    .nullable(),
}

const moneyMove = z.object({
  accountId: wireText,
  amountNano: wireAmount,
  source: z.enum(['gateway', 'promotion', 'operator']),
  reference: wireText,
  memo: wireRecord,
})

export const wireCredit = {
  input: moneyMove,
  output: z.object({ outcome: z.enum(['credited', 'already_credited']), balanceNano: wireAmountFound }),
}

export const wireReverse = {
  input: moneyMove,
  output: z.object({
    outcome: z.enum(['reversed', 'already_reversed']),
    takenNano: wireAmountFound,
    debtNano: wireAmountFound,
    balanceNano: wireAmountFound,
  }),
}

export const wireMerge = {
  input: z.object({ from: wireCredential, into: wireCredential, reference: wireText }),
  output: z.discriminatedUnion('outcome', [
    z.object({
      outcome: z.enum(['merged', 'already_merged']),
      movedNano: wireAmountFound,
      balanceNano: wireAmountFound,
    }),
    z.object({ outcome: z.enum(['same_account', 'unknown_credential']) }),
    z.object({ outcome: z.literal('key_only_spends') }),
  ]),
}

const holdOfAccount = z.object({ accountId: wireText, holdId: wireText })

export const wireListUsage = {
  input: z.object({
    accountId: wireText,
    limit: z.number(),
    cursor: wireText.nullable(),
    from: wireTime.nullable(),
    to: wireTime.nullable(),
    modelId: wireText.nullable(),
    keyId: wireText.nullable(),
  }),
  output: z.object({ records: z.array(wireUsageRecord), nextCursor: wireText.nullable() }),
}

export const wireGetUsage = { input: holdOfAccount, output: wireUsageRecord.nullable() }
