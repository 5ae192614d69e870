import { z } from 'zod'
import { verb } from '@/lib/host-mode/domain/contract'
import { wireAmount, wireAmountFound, wireRecord, wireText, wireTime } from '@/lib/host-mode/domain/values'

/** More than a person needs, and enough for a program that makes one for each of its users. */
export const ACTIVE_KEY_COUNT_MAX = 200
/** Including revoked ones: each is a row for ever, listed with what it spent. */
export const KEY_COUNT_MAX = 1_000

export const resetPeriod = z.enum(['none', 'daily', 'weekly', 'monthly'])

/** Restrictions that a key puts on all its requests. A request may restrict more, never less. */
export const keyRouting = z.object({
  /** Only hosts that keep nothing (zero data retention). */
  zdr: z.boolean(),
  /** `deny`: only hosts that do not train on the data. */
  dataCollection: z.enum(['allow', 'deny']),
  /** The highest prices, as decimal strings by the prices' names. */
  maxPrice: wireRecord.nullable(),
  /** Slower and cheaper, for models that are listed with such a price. */
  serviceTier: z.enum(['flex']).nullable(),
  /** The most that one request may cost, in decimal dollars; absent for no limit. */
  maxChargeUsd: wireText.optional(),
  /** The only models that may answer; absent for all. */
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

/** The verbs return null if the account has no such key. */
export const KEY_VERBS = {
  /** Up to `ACTIVE_KEY_COUNT_MAX` at a time, and `KEY_COUNT_MAX` in all. */
  createKey: verb({ input: createKeyInput, output: apiKey }),
  listKeys: verb({ input: z.object({ accountId: wireText }), output: z.array(apiKey) }),
  getKey: verb({ input: keyOfAccount, output: apiKey.nullable() }),
  updateKey: verb({ input: updateKeyInput, output: apiKey.nullable() }),
  /** Soft: the row stays, the key stops working. */
  revokeKey: verb({ input: keyOfAccount, output: apiKey.nullable() }),
}
