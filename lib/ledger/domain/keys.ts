import { z } from 'zod'
import { verb } from '@/lib/host-mode/domain/contract'
import { wireAmount, wireAmountFound, wireRecord, wireText, wireTime } from '@/lib/host-mode/domain/values'

/** More than a person tells apart, and enough for a program that makes one for each of its users. */
export const ACTIVE_KEY_COUNT_MAX = 200
/** Revoked ones included: each is a row for ever, listed with what it spent. */
export const KEY_COUNT_MAX = 1_000

export const resetPeriod = z.enum(['none', 'daily', 'weekly', 'monthly'])

/** What whoever holds a key wants of whatever answers it: a request may want more, never less. */
export const keyRouting = z.object({
  /** Hosts that keep nothing. */
  zdr: z.boolean(),
  /** `deny`: hosts that learn nothing from it. */
  dataCollection: z.enum(['allow', 'deny']),
  /** The dearest that may be, as decimal texts by the names of the prices. */
  maxPrice: wireRecord.nullable(),
  /** Slower and cheaper, where a model is listed with such a price. */
  serviceTier: z.enum(['flex']).nullable(),
  /** The most that one request may cost, in decimal dollars; absent where it may cost anything. */
  maxChargeUsd: wireText.optional(),
  /** The only models that may answer; absent where all may. */
  models: z.array(wireText).optional(),
})

const apiKey = z.object({
  keyId: wireText,
  label: wireText,
  /** The last characters of the secret, to tell keys apart. */
  hint: wireText,
  usageLimitNano: wireAmountFound.nullable(),
  /** Spent in the current reset period. */
  usageNano: wireAmountFound,
  resetPeriod,
  routing: keyRouting.nullable().default(null),
  expiresAt: wireTime.nullable(),
  createdAt: wireTime,
  revokedAt: wireTime.nullable(),
})

const keyOfAccount = z.object({ accountId: wireText, keyId: wireText })

const createKeyInput = z.object({
  accountId: wireText,
  secretHash: wireText,
  hint: wireText,
  label: wireText,
  usageLimitNano: wireAmount.nullable(),
  resetPeriod,
  routing: keyRouting.nullable().default(null),
  expiresAt: wireTime.nullable(),
})

const updateKeyInput = keyOfAccount.extend({
  label: wireText.optional(),
  usageLimitNano: wireAmount.nullable().optional(),
  resetPeriod: resetPeriod.optional(),
  routing: keyRouting.nullable().optional(),
  expiresAt: wireTime.nullable().optional(),
})

export type ResetPeriod = z.output<typeof resetPeriod>
export type KeyRouting = z.output<typeof keyRouting>
export type ApiKey = z.output<typeof apiKey>
export type CreateKeyInput = z.output<typeof createKeyInput>
export type UpdateKeyInput = z.output<typeof updateKeyInput>

/** Null: the account has no such key. */
export const KEY_VERBS = {
  /** At most 200 keys of an account work at a time, and 1,000 are ever made. */
  createKey: verb({ input: createKeyInput, output: apiKey }),
  listKeys: verb({ input: z.object({ accountId: wireText }), output: z.array(apiKey) }),
  getKey: verb({ input: keyOfAccount, output: apiKey.nullable() }),
  updateKey: verb({ input: updateKeyInput, output: apiKey.nullable() }),
  /** Soft: the row stays, the key stops working. */
  revokeKey: verb({ input: keyOfAccount, output: apiKey.nullable() }),
}
