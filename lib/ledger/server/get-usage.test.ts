import { beforeAll, expect, test } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import type { Ledger } from '../domain/ledger'
import { createFundedAccount, createTestKey, EXCHANGE, openHold, USAGE } from '../testing'
import { createEmbeddedLedger } from './embedded-ledger'

const UNKNOWN_ID = '00000000-0000-4000-8000-00000000ffff'

describeOnPostgres('one usage record', getDatabase => {
  let ledger: Ledger
  beforeAll(() => {
    ledger = createEmbeddedLedger({ database: getDatabase() })
  })

  test('is not found by an unknown or malformed id', async () => {
    const { accountId } = await createFundedAccount(ledger, 100n)
    expect(await ledger.getUsage({ accountId, holdId: UNKNOWN_ID })).toBeNull()
    expect(await ledger.getUsage({ accountId, holdId: "' or 1=1" })).toBeNull()
  })

  test('is not found while the exchange runs', async () => {
    const { accountId, credential } = await createFundedAccount(ledger, 100n)
    const holdId = await openHold(ledger, credential, 10n)
    expect(await ledger.getUsage({ accountId, holdId })).toBeNull()
  })

  test('is not found by another account', async () => {
    const { credential } = await createFundedAccount(ledger, 100n)
    const stranger = await createFundedAccount(ledger, 0n)
    const holdId = await openHold(ledger, credential, 10n)
    await ledger.settle({ holdId, costNano: 4n, usage: USAGE })
    expect(await ledger.getUsage({ accountId: stranger.accountId, holdId })).toBeNull()
  })

  test('has the prices, hold, charge and key of a settled exchange, like the list', async () => {
    const { accountId } = await createFundedAccount(ledger, 100n)
    const { keyId, credential } = await createTestKey(ledger, { accountId })
    const holdId = await openHold(ledger, credential, 10n)
    await ledger.settle({ holdId, costNano: 4n, usage: USAGE })
    const record = await ledger.getUsage({ accountId, holdId })
    expect(record).toMatchObject({ ...USAGE, ...EXCHANGE, holdId, keyId, heldNano: 10n, chargedNano: 4n })
    const page = await ledger.listUsage({
      accountId,
      limit: 1,
      cursor: null,
      from: null,
      to: null,
      modelId: null,
      keyId: null,
    })
    expect(page.records).toEqual([record])
  })

  test('of a released exchange has no charge', async () => {
    const { accountId, credential } = await createFundedAccount(ledger, 100n)
    const holdId = await openHold(ledger, credential, 10n)
    await ledger.release({ holdId, usage: { ...USAGE, status: 'failed', errorCode: 'upstream_error' } })
    expect(await ledger.getUsage({ accountId, holdId })).toMatchObject({ chargedNano: 0n, status: 'failed' })
  })
})
