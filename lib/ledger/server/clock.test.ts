import { afterEach, beforeAll, expect, jest, test } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import type { Ledger } from '../domain/ledger'
import { createFundedAccount, createTestKey, holdInput, openHold, USAGE } from '../testing'
import { createEmbeddedLedger } from './embedded-ledger'

const DAY_MS = 86_400_000

describeOnPostgres('on a server whose clock is a day off', getDatabase => {
  let ledger: Ledger
  beforeAll(() => {
    ledger = createEmbeddedLedger({ database: getDatabase() })
  })
  afterEach(() => {
    jest.restoreAllMocks()
  })

  test.each([
    ['ahead', DAY_MS],
    ['behind', -DAY_MS],
  ])('(%s), holds, keys and limits follow the database’s clock', async (_name, offsetMs) => {
    const { accountId, credential } = await createFundedAccount(ledger, 1_000n)
    const now = Date.now()
    jest.spyOn(Date, 'now').mockImplementation(() => now + offsetMs)

    const holdId = await openHold(ledger, credential, 10n)
    expect(await ledger.sweep({ holdCountMax: 100 })).toMatchObject({ releasedHoldIds: [] })
    expect(await ledger.renew({ holdId, ttlSeconds: 30, checkpoint: null })).toEqual({ renewed: true })
    const resetPeriod = 'daily' as const
    const valid = await createTestKey(ledger, {
      accountId,
      resetPeriod,
      usageLimitNano: 10n,
      expiresAt: new Date(now + DAY_MS / 2),
    })
    const expired = await createTestKey(ledger, { accountId, expiresAt: new Date(now - DAY_MS / 2) })
    const spent = await openHold(ledger, valid.credential, 10n)
    await ledger.settle({ holdId: spent, costNano: 10n, usage: USAGE })
    expect(await ledger.hold(holdInput(valid.credential, 1n))).toMatchObject({ outcome: 'key_limit_reached' })
    expect(await ledger.hold(holdInput(expired.credential, 1n))).toEqual({ outcome: 'unknown_credential' })
    expect(await ledger.settle({ holdId, costNano: 10n, usage: USAGE })).toMatchObject({
      outcome: 'resolved',
    })
  })
})
