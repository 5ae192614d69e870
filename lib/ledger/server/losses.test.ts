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
/** With it the operator may lose ten of them. */
const CENT_NANO = USD_NANO / 100n
const LIMIT_NANO = 10n * CENT_NANO
const DAY_SECONDS = 86_400

describeOnPostgres('an account whose calls cost the operator what nobody pays', getDatabase => {
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
  const refused = { outcome: 'loss_limit_reached', retryAfterSeconds: expect.any(Number) }
  const balances = async () =>
    expect((await checkLedger({ database: getDatabase() })).differences).toEqual([])

  test.each([
    ['ten times what was ever paid in', USD_NANO / 2n, 5n * USD_NANO],
    ['ten dollars where that is more', 50n * USD_NANO, 10n * USD_NANO],
  ])('is refused on that day beyond %s', async (_name, paidNano, limitNano) => {
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

  test('may lose no less when it has spent what it paid in', async () => {
    const { credential } = await createFundedAccount(ledger, CENT_NANO)
    const holdId = await openHold(ledger, credential, CENT_NANO - 2n)
    await ledger.settle({ holdId, costNano: CENT_NANO - 2n, usage: USAGE })
    await fail(credential, LIMIT_NANO - 1n)
    expect(await ask(credential)).toMatchObject({ outcome: 'held' })
  })

  test('is refused for what was lost beside a charge as well, and by each of its keys', async () => {
    const { accountId, credential } = await createFundedAccount(ledger, CENT_NANO)
    const key = await createTestKey(ledger, { accountId })
    const holdId = await openHold(ledger, key.credential, 1n)
    await ledger.settle({ holdId, costNano: 1n, absorbedNano: LIMIT_NANO, usage: USAGE })
    expect(await ask(credential)).toEqual(refused)
    expect(await ask(key.credential)).toEqual(refused)
    await balances()
  })

  test('may still ask for what is free, and hears of its earlier requests', async () => {
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

  test('takes the refusal along wherever its money is moved to', async () => {
    const first = await createFundedAccount(ledger, CENT_NANO)
    const second = await createFundedAccount(ledger, 0n)
    await fail(first.credential, LIMIT_NANO)
    await ledger.merge({ from: first.credential, into: second.credential, reference: randomUUID() })
    expect(await ask(second.credential)).toEqual(refused)
  })

  test('is answered again on the next day, and what ends then counts for its own day', async () => {
    const { accountId, credential } = await createFundedAccount(ledger, CENT_NANO)
    const yesterdays = await openHold(ledger, credential, 1n)
    await fail(credential, LIMIT_NANO)
    for (const change of [
      `update account set risk_day = risk_day - 1 where id = '${accountId}'`,
      `update hold set created_at = created_at - interval '1 day' where account_id = '${accountId}'`,
    ]) {
      await getDatabase().kysely.executeQuery(CompiledQuery.raw(change))
    }
    expect(await ask(credential, 1n)).toMatchObject({ outcome: 'held' })
    await fail(credential, 1n)
    await ledger.release({ holdId: yesterdays, absorbedNano: LIMIT_NANO, usage: USAGE })
    expect(await ask(credential, 1n)).toMatchObject({ outcome: 'held' })
    await balances()
  })

  test('is nothing to anybody else', async () => {
    const { credential } = await createFundedAccount(ledger, CENT_NANO)
    await fail(credential, 2n * LIMIT_NANO)
    const other = await createFundedAccount(ledger, CENT_NANO)
    expect(await ask(other.credential)).toMatchObject({ outcome: 'held' })
  })
})
