import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, jest, test } from '@jest/globals'
import { CompiledQuery } from 'kysely'
import { describeOnPostgres } from '@/lib/db/testing'
import type { Credential } from '../domain/accounts'
import type { Ledger } from '../domain/ledger'
import { RISK_PER_ACCOUNT_DAY_NANO_MAX } from '../domain/limits'
import { createFundedAccount, createTestKey, hashOf, holdInput, openHold, USAGE } from '../testing'
import { checkLedger } from './check-ledger'
import { createEmbeddedLedger } from './embedded-ledger'

const PARALLEL_COUNT = 64

describeOnPostgres('hold', getDatabase => {
  let ledger: Ledger
  beforeAll(() => {
    ledger = createEmbeddedLedger({ database: getDatabase() })
  })

  test('has a UUID of version 7 as its id, in order of time', async () => {
    const { credential } = await createFundedAccount(ledger, 100n)
    const clock = jest.spyOn(Date, 'now').mockReturnValue(0x0192_0abc_0def)
    const holdId = await openHold(ledger, credential, 1n).finally(() => clock.mockRestore())
    expect(holdId).toMatch(/^01920abc-0def-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  test('an unknown credential is refused', async () => {
    const credential = { kind: 'credit_id', secretHash: hashOf('nobody') } as const
    expect(await ledger.hold(holdInput(credential, 1n))).toEqual({ outcome: 'unknown_credential' })
    expect(await ledger.hold(holdInput({ ...credential, kind: 'api_key' }, 1n))).toEqual({
      outcome: 'unknown_credential',
    })
  })

  test('the hash of a credit_id does not work as a key, nor the hash of a key as a credit_id', async () => {
    const { accountId, credential } = await createFundedAccount(ledger, 100n)
    const key = await createTestKey(ledger, { accountId })
    expect(await ledger.hold(holdInput({ ...credential, kind: 'api_key' }, 1n))).toEqual({
      outcome: 'unknown_credential',
    })
    expect(await ledger.hold(holdInput({ ...key.credential, kind: 'credit_id' }, 1n))).toEqual({
      outcome: 'unknown_credential',
    })
  })

  test('less available than the minimum is refused with both amounts, and nothing is held', async () => {
    const { accountId, credential } = await createFundedAccount(ledger, 99n)
    expect(await ledger.hold(holdInput(credential, 200n, { minimumNano: 100n }))).toEqual({
      outcome: 'insufficient_credit',
      availableNano: 99n,
      requiredNano: 100n,
    })
    expect(await ledger.getBalance({ credential })).toEqual({
      accountId,
      keyId: null,
      balanceNano: 99n,
      heldNano: 0n,
      availableNano: 99n,
      debtNano: 0n,
    })
  })

  test('an amount above the available balance is reduced to it', async () => {
    const { accountId, credential } = await createFundedAccount(ledger, 100n)
    const result = await ledger.hold(holdInput(credential, 200n, { minimumNano: 100n }))
    expect(result).toEqual({
      outcome: 'held',
      holdId: expect.any(String),
      accountId,
      keyId: null,
      amountNano: 100n,
    })
  })

  test('a minimum above the amount is refused, whatever the balance, if no lesser hold is allowed', async () => {
    const { credential } = await createFundedAccount(ledger, 100n)
    expect(await ledger.hold(holdInput(credential, 50n, { minimumNano: 80n }))).toEqual({
      outcome: 'insufficient_credit',
      availableNano: 100n,
      requiredNano: 80n,
    })
  })

  describe('of less than the minimum, at the operator’s risk', () => {
    const CENT_NANO = 10_000_000n
    /** Asks for up to ten cents and at least four; the call is estimated to need one. */
    const risky = (credential: Credential) =>
      holdInput(credential, 10n * CENT_NANO, { minimumNano: 4n * CENT_NANO, leastNano: CENT_NANO })
    const atRisk = (credential: Credential) =>
      openHold(ledger, credential, 10n * CENT_NANO, { minimumNano: 4n * CENT_NANO, leastNano: CENT_NANO })
    const riskNano = async (accountId: string) => {
      const account = getDatabase().kysely.selectFrom('account').where('id', '=', accountId)
      return (await account.select('risk_nano').executeTakeFirst())?.risk_nano
    }
    /** What the account has done so far. */
    const moveByDays = async (days: -1 | 1, accountId: string) => {
      for (const change of [
        `update account set risk_day = risk_day + ${days} where id = '${accountId}'`,
        `update hold set created_at = created_at + ${days} * interval '1 day' where account_id = '${accountId}'`,
      ])
        await getDatabase().kysely.executeQuery(CompiledQuery.raw(change))
    }
    const booksBalance = async () =>
      expect((await checkLedger({ database: getDatabase() })).differences).toEqual([])

    test('takes all that is available, if it covers the call’s estimated cost', async () => {
      const { accountId, credential } = await createFundedAccount(ledger, 3n * CENT_NANO)
      expect(await ledger.hold(risky(credential))).toMatchObject({
        outcome: 'held',
        amountNano: 3n * CENT_NANO,
      })
      expect(await riskNano(accountId)).toBe(CENT_NANO)
      await booksBalance()
    })

    test('holds no more than the requested amount, whatever the balance, and counts the rest as risk', async () => {
      const { accountId, credential } = await createFundedAccount(ledger, 9n * CENT_NANO)
      const promised = { minimumNano: 4n * CENT_NANO, leastNano: 2n * CENT_NANO }
      expect(await ledger.hold(holdInput(credential, 2n * CENT_NANO, promised))).toMatchObject({
        outcome: 'held',
        amountNano: 2n * CENT_NANO,
      })
      expect(await riskNano(accountId)).toBe(2n * CENT_NANO)
      await booksBalance()
    })

    test.each([
      ['less than the call’s estimated cost', CENT_NANO - 1n, CENT_NANO],
      ['nothing at all', 0n, 0n],
    ])('is refused with %s, and the refusal names the minimum', async (_name, availableNano, leastNano) => {
      const { credential } = await createFundedAccount(ledger, availableNano)
      expect(await ledger.hold({ ...risky(credential), leastNano })).toEqual({
        outcome: 'insufficient_credit',
        availableNano,
        requiredNano: 4n * CENT_NANO,
      })
    })

    test('is refused if the least amount equals the minimum, which allows no risk', async () => {
      const { credential } = await createFundedAccount(ledger, 3n * CENT_NANO)
      const input = { ...risky(credential), leastNano: 4n * CENT_NANO }
      expect(await ledger.hold(input)).toMatchObject({ outcome: 'insufficient_credit' })
    })

    test('a settlement within the hold clears the risk, and one above it turns the risk into a loss', async () => {
      const { accountId, credential } = await createFundedAccount(ledger, 3n * CENT_NANO)
      await ledger.settle({ holdId: await atRisk(credential), costNano: CENT_NANO, usage: USAGE })
      expect(await riskNano(accountId)).toBe(0n)
      await ledger.settle({ holdId: await atRisk(credential), costNano: 5n * CENT_NANO, usage: USAGE })
      expect(await riskNano(accountId)).toBe(3n * CENT_NANO)
      await booksBalance()
    })

    test('all keys of one account together stay within the account’s risk limit', async () => {
      const { accountId } = await createFundedAccount(ledger, 1_000n * CENT_NANO)
      const keys = await Promise.all(
        Array.from({ length: 12 }, () =>
          createTestKey(ledger, { accountId, usageLimitNano: 2n * CENT_NANO }),
        ),
      )
      const results = await Promise.all(keys.map(key => ledger.hold(risky(key.credential))))
      expect(results.filter(({ outcome }) => outcome === 'held')).toHaveLength(2)
      expect(results.filter(({ outcome }) => outcome === 'key_limit_reached')).toHaveLength(10)
      expect(await riskNano(accountId)).toBeLessThanOrEqual(RISK_PER_ACCOUNT_DAY_NANO_MAX)
    })

    test('merging credit into another account does not renew the risk limit, but the next day does', async () => {
      const promised = { minimumNano: 90n * CENT_NANO, leastNano: CENT_NANO }
      const dollars = 300n * CENT_NANO
      const first = await createFundedAccount(ledger, dollars)
      const second = await createFundedAccount(ledger, 0n)
      const holdId = await openHold(ledger, first.credential, CENT_NANO, promised)
      await ledger.settle({ holdId, costNano: 90n * CENT_NANO, usage: USAGE })
      await ledger.merge({ from: first.credential, into: second.credential, reference: randomUUID() })
      const again = holdInput(second.credential, CENT_NANO, promised)
      expect(await ledger.hold(again)).toMatchObject({ outcome: 'insufficient_credit' })
      await moveByDays(-1, first.accountId)
      const tooMuch = { ...again, minimumNano: 102n * CENT_NANO }
      expect(await ledger.hold(tooMuch)).toMatchObject({ outcome: 'insufficient_credit' })
      expect(await ledger.hold(again)).toMatchObject({ outcome: 'held' })
      await booksBalance()
    })

    test('the risk limit renews every day, and a late settlement counts for the day of its hold', async () => {
      const { accountId, credential } = await createFundedAccount(ledger, 3n * CENT_NANO)
      const yesterdays = await atRisk(credential)
      await moveByDays(-1, accountId)
      await ledger.credit({
        accountId,
        amountNano: CENT_NANO,
        source: 'gateway',
        reference: hashOf(accountId),
        memo: {},
      })
      await atRisk(credential)
      expect(await riskNano(accountId)).toBe(3n * CENT_NANO)
      await ledger.settle({ holdId: yesterdays, costNano: 100n * CENT_NANO, usage: USAGE })
      expect(await riskNano(accountId)).toBe(3n * CENT_NANO)
      await booksBalance()
    })

    test('a hold that waited for the account’s lock past midnight uses no risk of the new day and forgets no loss', async () => {
      const { accountId, credential } = await createFundedAccount(ledger, 5n * CENT_NANO)
      const promised = { minimumNano: 4n * CENT_NANO, leastNano: CENT_NANO }
      const failed = await openHold(ledger, credential, CENT_NANO)
      await openHold(ledger, credential, 3n * CENT_NANO, promised)
      await ledger.release({ holdId: failed, absorbedNano: 7n, usage: USAGE })
      await moveByDays(1, accountId)
      await atRisk(credential)
      expect(await riskNano(accountId)).toBe(CENT_NANO)
      await booksBalance()
    })
  })

  test('a free model needs no credit', async () => {
    const { credential } = await createFundedAccount(ledger, 0n)
    expect(await ledger.hold(holdInput(credential, 0n))).toMatchObject({ outcome: 'held', amountNano: 0n })
  })

  test.each([
    ['a negative amount', { amountNano: -1n }],
    ['an amount above the largest transfer', { amountNano: 10n ** 15n + 1n }],
    ['a negative minimum', { minimumNano: -1n }],
    ['a negative least', { leastNano: -1n }],
    ['a lifetime of zero seconds', { ttlSeconds: 0 }],
    ['a secret in place of its hash', { credential: { kind: 'credit_id', secretHash: 'secret' } as const }],
    ['a request in place of its hash', { requestHash: 'request' }],
    ['an idempotency key in place of its hash', { idempotencyKeyHash: 'key' }],
  ])('%s is refused as invalid input', async (_name, wrong) => {
    const { credential } = await createFundedAccount(ledger, 10n)
    await expect(ledger.hold({ ...holdInput(credential, 1n), ...wrong })).rejects.toMatchObject({
      name: 'LedgerError',
      code: 'invalid_input',
    })
  })

  test('64 parallel holds on a balance for exactly 17: 17 are held, the others refused', async () => {
    const { credential } = await createFundedAccount(ledger, 17n * 5n + 4n)
    const results = await Promise.all(
      Array.from({ length: PARALLEL_COUNT }, () => ledger.hold(holdInput(credential, 5n))),
    )
    const outcomes = results.map(result => result.outcome)
    expect(outcomes.filter(outcome => outcome === 'held')).toHaveLength(17)
    expect(outcomes.filter(outcome => outcome === 'insufficient_credit')).toHaveLength(47)
    expect(await ledger.getBalance({ credential })).toMatchObject({ heldNano: 85n, availableNano: 4n })
  })

  test('64 parallel holds of flexible size take the whole balance and not a nano-dollar more', async () => {
    const { credential } = await createFundedAccount(ledger, 100n)
    const results = await Promise.all(
      Array.from({ length: PARALLEL_COUNT }, () =>
        ledger.hold(holdInput(credential, 7n, { minimumNano: 1n })),
      ),
    )
    const held = results.map(result => (result.outcome === 'held' ? result.amountNano : 0n))
    expect(held.reduce((sum, amount) => sum + amount, 0n)).toBe(100n)
    expect(await ledger.getBalance({ credential })).toMatchObject({ heldNano: 100n, availableNano: 0n })
  })

  test('64 parallel requests under one idempotency key place one hold', async () => {
    const { accountId, credential } = await createFundedAccount(ledger, 1_000n)
    const input = holdInput(credential, 10n, { idempotencyKeyHash: hashOf('retry') })
    const results = await Promise.all(Array.from({ length: PARALLEL_COUNT }, () => ledger.hold(input)))
    const held = results.filter(result => result.outcome === 'held')
    expect(held).toHaveLength(1)
    const duplicate = { outcome: 'duplicate', accountId, sameRequest: true, state: 'open' }
    expect(results.filter(result => result.outcome === 'duplicate')).toEqual(
      Array.from({ length: PARALLEL_COUNT - 1 }, () => ({ ...duplicate, holdId: held[0]?.holdId })),
    )
    expect(await ledger.getBalance({ credential })).toMatchObject({ heldNano: 10n })
  })

  test('a duplicate says whether the request differs and how the first one ended', async () => {
    const { credential } = await createFundedAccount(ledger, 100n)
    const idempotencyKeyHash = hashOf('another')
    const holdId = await openHold(ledger, credential, 10n, { idempotencyKeyHash })
    await ledger.settle({ holdId, costNano: 4n, usage: USAGE })
    expect(
      await ledger.hold(holdInput(credential, 10n, { idempotencyKeyHash, requestHash: hashOf('other') })),
    ).toMatchObject({ outcome: 'duplicate', holdId, sameRequest: false, state: 'settled' })
  })

  test('a retry is answered as a duplicate even when no credit is left', async () => {
    const { credential } = await createFundedAccount(ledger, 10n)
    const idempotencyKeyHash = hashOf('last cent')
    const holdId = await openHold(ledger, credential, 10n, { idempotencyKeyHash })
    expect(await ledger.hold(holdInput(credential, 10n, { idempotencyKeyHash }))).toMatchObject({
      outcome: 'duplicate',
      holdId,
    })
  })

  test('two accounts may use the same idempotency key', async () => {
    const idempotencyKeyHash = hashOf('shared')
    const first = await createFundedAccount(ledger, 10n)
    const second = await createFundedAccount(ledger, 10n)
    await openHold(ledger, first.credential, 10n, { idempotencyKeyHash })
    await openHold(ledger, second.credential, 10n, { idempotencyKeyHash })
    expect(await ledger.getBalance(second)).toMatchObject({ heldNano: 10n })
  })
})
