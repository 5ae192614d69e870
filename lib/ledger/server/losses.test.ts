import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import { CompiledQuery } from 'kysely'
import { describeOnPostgres } from '@/lib/db/testing'
import type { Nano } from '@/lib/money/nano'
import type { Credential } from '../domain/accounts'
import type { Ledger } from '../domain/ledger'
import { createFundedAccount, createTestKey, holdInput, openHold, USAGE } from '../testing'
import { checkLedger } from './check-ledger'
import { createEmbeddedLedger } from './embedded-ledger'

const USD_NANO = 1_000_000_000n
/** An account that paid in one cent may cause losses of ten. */
const CENT_NANO = USD_NANO / 100n
const LIMIT_NANO = 10n * CENT_NANO
const DAY_SECONDS = 86_400

describeOnPostgres('an account whose calls cause losses for the operator', getDatabase => {
  let ledger: Ledger
  beforeAll(() => {
    ledger = createEmbeddedLedger({ database: getDatabase() })
  })

  const ask = (credential: Credential, amountNano: Nano = CENT_NANO) =>
    ledger.hold(holdInput(credential, amountNano, { minimumNano: 0n }))
  const fail = async (credential: Credential, absorbedNano: Nano) => {
    const holdId = await openHold(ledger, credential, 1n)
    await ledger.release({ holdId, absorbedNano, usage: { ...USAGE, status: 'failed' } })
  }
  const passDay = async (accountId: string) => {
    for (const change of [
      `update account set risk_day = risk_day - 1 where id = '${accountId}'`,
      `update hold set created_at = created_at - interval '1 day' where account_id = '${accountId}'`,
    ]) {
      await getDatabase().kysely.executeQuery(CompiledQuery.raw(change))
    }
  }
  const refused = { outcome: 'loss_limit_reached', retryAfterSeconds: expect.any(Number) }
  const balances = async () =>
    expect((await checkLedger({ database: getDatabase() })).differences).toEqual([])

  test.each([
    ['ten times its payments', USD_NANO / 2n, 5n * USD_NANO],
    ['ten dollars, if that is less than ten times its payments', 50n * USD_NANO, 10n * USD_NANO],
  ])('is refused for the rest of the day after losses of %s', async (_name, paidNano, limitNano) => {
    const { credential } = await createFundedAccount(ledger, paidNano)
    await fail(credential, limitNano - 1n)
    expect(await ask(credential)).toMatchObject({ outcome: 'held' })
    await fail(credential, 1n)
    const refusal = await ask(credential)
    expect(refusal).toEqual(refused)
    const seconds = refusal.outcome === 'loss_limit_reached' ? refusal.retryAfterSeconds : 0
    expect(Number.isInteger(seconds) && seconds > 0 && seconds <= DAY_SECONDS).toBe(true)
    await balances()
  })

  test('keeps the same loss limit after spending its credit', async () => {
    const { credential } = await createFundedAccount(ledger, CENT_NANO)
    const holdId = await openHold(ledger, credential, CENT_NANO - 2n)
    await ledger.settle({ holdId, costNano: CENT_NANO - 2n, usage: USAGE })
    await fail(credential, LIMIT_NANO - 1n)
    expect(await ask(credential)).toMatchObject({ outcome: 'held' })
  })

  test('is refused, with each of its credentials, also for losses absorbed by a settlement', async () => {
    const { accountId, credential } = await createFundedAccount(ledger, CENT_NANO)
    const key = await createTestKey(ledger, { accountId })
    const holdId = await openHold(ledger, key.credential, 1n)
    await ledger.settle({ holdId, costNano: 1n, absorbedNano: LIMIT_NANO, usage: USAGE })
    expect(await ask(credential)).toEqual(refused)
    expect(await ask(key.credential)).toEqual(refused)
    await balances()
  })

  test('can still use free models, and still gets duplicates reported', async () => {
    const { credential } = await createFundedAccount(ledger, CENT_NANO)
    const idempotencyKeyHash = 'a'.repeat(64)
    const holdId = await openHold(ledger, credential, 1n, { idempotencyKeyHash })
    await ledger.release({ holdId, absorbedNano: LIMIT_NANO, usage: USAGE })
    expect(await ask(credential, 0n)).toMatchObject({ outcome: 'held' })
    expect(await ledger.hold(holdInput(credential, 1n, { idempotencyKeyHash }))).toMatchObject({
      outcome: 'duplicate',
      holdId,
    })
  })

  test('stays refused after its credit was merged into another account, until the next day', async () => {
    const first = await createFundedAccount(ledger, CENT_NANO)
    const second = await createFundedAccount(ledger, 0n)
    await fail(first.credential, LIMIT_NANO)
    await ledger.merge({ from: first.credential, into: second.credential, reference: randomUUID() })
    const key = await createTestKey(ledger, { accountId: second.accountId })
    for (const { credential } of [second, key]) expect(await ask(credential)).toEqual(refused)
    await passDay(first.accountId)
    expect(await ask(second.credential)).toMatchObject({ outcome: 'held' })
    await balances()
  })

  test('is none from which all was refunded, and which lost nothing', async () => {
    const { accountId, credential } = await createFundedAccount(ledger, CENT_NANO)
    const holdId = await openHold(ledger, credential, 1n, { minimumNano: 2n, leastNano: 1n })
    await ledger.release({ holdId, usage: USAGE })
    const refund = { amountNano: CENT_NANO, source: 'gateway', reference: randomUUID(), memo: {} } as const
    await ledger.reverse({ ...refund, accountId })
    expect(await ledger.hold(holdInput(credential, 1n))).toMatchObject({ outcome: 'insufficient_credit' })
  })

  test('is accepted again the next day, and late losses count for the day of their hold', async () => {
    const { accountId, credential } = await createFundedAccount(ledger, CENT_NANO)
    const yesterdays = await openHold(ledger, credential, 1n)
    await fail(credential, LIMIT_NANO)
    await passDay(accountId)
    expect(await ask(credential, 1n)).toMatchObject({ outcome: 'held' })
    // A risk begins the new day, too.
    await openHold(ledger, credential, 1n, { minimumNano: 2n, leastNano: 1n })
    expect(await ask(credential, 1n)).toMatchObject({ outcome: 'held' })
    await fail(credential, 1n)
    await ledger.release({ holdId: yesterdays, absorbedNano: LIMIT_NANO, usage: USAGE })
    expect(await ask(credential, 1n)).toMatchObject({ outcome: 'held' })
    await balances()
  })

  test('does not affect other accounts', async () => {
    const { credential } = await createFundedAccount(ledger, CENT_NANO)
    await fail(credential, 2n * LIMIT_NANO)
    const other = await createFundedAccount(ledger, CENT_NANO)
    expect(await ask(other.credential)).toMatchObject({ outcome: 'held' })
  })
})
