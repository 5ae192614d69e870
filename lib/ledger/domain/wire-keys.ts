import { z } from 'zod'
import { wireAmount, wireAmountFound, wireText, wireTime } from './wire-values'

const resetPeriod = z.enum(['none', 'daily', 'weekly', 'monthly'])

const apiKey = z.object({
  keyId: wireText,
  label: wireText,
  hint: wireText,
  usageLimitNano: wireAmountFound.nullable(),
  usageNano: wireAmountFound,
  resetPeriod,
  expiresAt: wireTime.nullable(),
  createdAt: wireTime,
  revokedAt: wireTime.nullable(),
})

const keyOfAccount = z.object({ accountId: wireText, keyId: wireText })

export const wireCreateKey = {
  input: z.object({
    accountId: wireText,
    secretHash: wireText,
    hint: wireText,
    label: wireText,
    usageLimitNano: wireAmount.nullable(),
    resetPeriod,
    expiresAt: wireTime.nullable(),
  }),
  output: apiKey,
}

export const wireListKeys = { input: z.object({ accountId: wireText }), output: z.array(apiKey) }

export const wireGetKey = { input: keyOfAccount, output: apiKey.nullable() }

export const wireUpdateKey = {
  input: keyOfAccount.extend({
    label: wireText.optional(),
    usageLimitNano: wireAmount.nullable().optional(),
    resetPeriod: resetPeriod.optional(),
    expiresAt: wireTime.nullable().optional(),
  }),
  output: apiKey.nullable(),
}

export const wireRevokeKey = { input: keyOfAccount, output: apiKey.nullable() }
