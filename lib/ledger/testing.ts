import { createHash, randomUUID } from 'node:crypto'
import type { Nano } from '@/lib/money/nano'
import type { Credential } from './domain/accounts'
import type { HoldInput } from './domain/holds'
import type { CreateKeyInput, KeyRouting } from './domain/keys'
import type { Ledger } from './domain/ledger'
import type { ExchangeDetail, UsageDetail } from './domain/usage'

/** Values for tests of whatever uses a ledger. */

export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

export const EXCHANGE: ExchangeDetail = {
  queryType: 'chat',
  querySource: 'api',
  modelId: 'test/model',
  priceSnapshot: { prompt: '0.000001', completion: '0.000002' },
}

export const USAGE: UsageDetail = {
  status: 'completed',
  errorCode: null,
  inputTokenCount: 11,
  cachedInputTokenCount: 3,
  outputTokenCount: 7,
  reasoningTokenCount: 2,
  estimated: false,
  costBasis: 'upstream_tokens',
  upstreamId: 'upstream',
  durationMs: 1200,
  timeToFirstTokenMs: 90,
}

export const SILENT: KeyRouting = { zdr: true, dataCollection: 'deny', maxPrice: null, serviceTier: null }

/** A new account with that much credit. */
export async function createFundedAccount(
  ledger: Ledger,
  amountNano: Nano,
): Promise<{ accountId: string; credential: Credential }> {
  const credential: Credential = { kind: 'credit_id', secretHash: hashOf(randomUUID()) }
  const { accountId } = await ledger.createAccount({
    creditIdHash: credential.secretHash,
    firstKey: null,
    attribution: null,
  })
  await fund(ledger, accountId, amountNano)
  return { accountId, credential }
}

/** A key that holds an account alone, with that much credit. */
export async function createFundedKey(
  ledger: Ledger,
  amountNano: Nano,
): Promise<{ accountId: string; keyId: string; credential: Credential }> {
  const credential: Credential = { kind: 'api_key', secretHash: hashOf(randomUUID()) }
  const { accountId, firstKeyId } = await ledger.createAccount({
    creditIdHash: null,
    firstKey: { secretHash: credential.secretHash, hint: 'abcd' },
    attribution: null,
  })
  if (firstKeyId === null) throw new Error('The account has no key.')
  await fund(ledger, accountId, amountNano)
  return { accountId, keyId: firstKeyId, credential }
}

async function fund(ledger: Ledger, accountId: string, amountNano: Nano): Promise<void> {
  if (amountNano === 0n) return
  await ledger.credit({ accountId, amountNano, source: 'gateway', reference: randomUUID(), memo: {} })
}

export async function createTestKey(
  ledger: Ledger,
  input: Partial<CreateKeyInput> & { accountId: string },
): Promise<{ keyId: string; credential: Credential }> {
  const secretHash = hashOf(randomUUID())
  const { keyId } = await ledger.createKey({
    secretHash,
    hint: 'abcd',
    label: 'test',
    routing: null,
    usageLimitNano: null,
    resetPeriod: 'none',
    expiresAt: null,
    ...input,
  })
  return { keyId, credential: { kind: 'api_key', secretHash: input.secretHash ?? secretHash } }
}

export function holdInput(
  credential: Credential,
  amountNano: Nano,
  overrides: Partial<HoldInput> = {},
): HoldInput {
  return {
    credential,
    amountNano,
    minimumNano: amountNano,
    leastNano: overrides.minimumNano ?? amountNano,
    ttlSeconds: 60,
    idempotencyKeyHash: null,
    requestHash: hashOf('request'),
    exchange: EXCHANGE,
    ...overrides,
  }
}

/** Places a hold that must succeed. */
export async function openHold(
  ledger: Ledger,
  credential: Credential,
  amountNano: Nano,
  overrides: Partial<HoldInput> = {},
): Promise<string> {
  const result = await ledger.hold(holdInput(credential, amountNano, overrides))
  if (result.outcome !== 'held') throw new Error(`The hold was refused: ${result.outcome}`)
  return result.holdId
}
