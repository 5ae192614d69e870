import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { CompiledQuery, type KyselyPlugin } from 'kysely'
import { describeOnPostgres } from '@/lib/db/testing'
import { ACTIVE_KEY_COUNT_MAX, KEY_COUNT_MAX } from '../domain/keys'
import type { Ledger } from '../domain/ledger'
import { createFundedAccount, createTestKey, hashOf, holdInput, openHold, SILENT, USAGE } from '../testing'
import { checkLedger } from './check-ledger'
import { createEmbeddedLedger } from './embedded-ledger'

const PARALLEL_COUNT = 64
const PAST = new Date('2020-01-01T00:00:00Z')
const FUTURE = new Date('2100-01-01T00:00:00Z')

describeOnPostgres('API keys', getDatabase => {
  let ledger: Ledger
  let rivals: Ledger[]
  beforeAll(() => {
    ledger = createEmbeddedLedger({ database: getDatabase() })
    rivals = Array.from({ length: 4 }, () => createEmbeddedLedger({ database: getDatabase() }))
  })
  const run = (statement: string) => getDatabase().kysely.executeQuery(CompiledQuery.raw(statement))
  const booksBalance = async () =>
    expect((await checkLedger({ database: getDatabase() })).differences).toEqual([])

  test('creating a key for an unknown account is refused', async () => {
    await expect(createTestKey(ledger, { accountId: randomUUID() })).rejects.toMatchObject({
      code: 'unknown_account',
    })
    await expect(createTestKey(ledger, { accountId: 'nobody' })).rejects.toMatchObject({
      code: 'unknown_account',
    })
  })

  test('a key for the operator’s own accounts is refused as for an unknown one', async () => {
    const operator = await getDatabase()
      .kysely.selectFrom('account')
      .where('kind', '<>', 'credit')
      .select('id')
      .executeTakeFirstOrThrow()
    await expect(createTestKey(ledger, { accountId: operator.id })).rejects.toMatchObject({
      code: 'unknown_account',
    })
  })

  test('a secret in place of its hash and a limit below zero are refused before they reach the database', async () => {
    const { accountId } = await createFundedAccount(ledger, 0n)
    const refused = { code: 'invalid_input' }
    await expect(createTestKey(ledger, { accountId, secretHash: 'sk-1' })).rejects.toMatchObject(refused)
    await expect(createTestKey(ledger, { accountId, usageLimitNano: -1n })).rejects.toMatchObject(refused)
    const { keyId } = await createTestKey(ledger, { accountId })
    await expect(ledger.updateKey({ accountId, keyId, usageLimitNano: -1n })).rejects.toMatchObject(refused)
  })

  test('keys are listed newest first', async () => {
    const { accountId } = await createFundedAccount(ledger, 0n)
    const keyIds = []
    for (const days of [2, 3, 1]) {
      const { keyId } = await createTestKey(ledger, { accountId })
      await run(`update api_key set created_at = now() - interval '${days} days' where id = '${keyId}'`)
      keyIds[days] = keyId
    }
    const listed = await ledger.listKeys({ accountId })
    expect(listed.map(({ keyId }) => keyId)).toEqual(keyIds.slice(1))
  })

  test('a key is listed with all its settings, but without its secret', async () => {
    const { accountId } = await createFundedAccount(ledger, 0n)
    const routing = { ...SILENT, maxPrice: { prompt: '1.5' }, serviceTier: 'flex' as const }
    const key = await ledger.createKey({
      accountId,
      secretHash: hashOf(randomUUID()),
      hint: 'wxyz',
      label: 'laptop',
      usageLimitNano: 5n,
      resetPeriod: 'weekly',
      routing,
      expiresAt: FUTURE,
    })
    expect(key).toEqual({
      keyId: expect.any(String),
      label: 'laptop',
      hint: 'wxyz',
      usageLimitNano: 5n,
      usageNano: 0n,
      resetPeriod: 'weekly',
      routing,
      expiresAt: FUTURE,
      createdAt: expect.any(Date),
      revokedAt: null,
    })
    expect(await ledger.getKey({ accountId, keyId: key.keyId })).toEqual(key)
    expect(await ledger.listKeys({ accountId })).toEqual([key])
  })

  test('repeating the creation of a key, as after a lost answer, returns the same key', async () => {
    const { accountId } = await createFundedAccount(ledger, 0n)
    const secretHash = hashOf(randomUUID())
    const first = await createTestKey(ledger, { accountId, secretHash })
    const second = await createTestKey(ledger, { accountId, secretHash })
    expect(second.keyId).toBe(first.keyId)
    expect(await ledger.listKeys({ accountId })).toHaveLength(1)
  })

  describe('are limited', () => {
    const invent = async (accountId: string, count: number, revokedAt: 'now()' | 'null') => {
      await run(
        `insert into api_key (account_id, secret_hash, hint, label, reset_period, usage_period_start, revoked_at)
          select '${accountId}', encode(sha256(gen_random_uuid()::text::bytea), 'hex'), '', '', 'none', '-infinity', ${revokedAt}
          from generate_series(1, ${count})`,
      )
    }
    const tooMany = { name: 'LedgerError', code: 'too_many_keys' }

    test('to 200 active keys per account, even when created in parallel', async () => {
      const { accountId } = await createFundedAccount(ledger, 0n)
      await invent(accountId, ACTIVE_KEY_COUNT_MAX - 3, 'null')
      const results = await Promise.allSettled(
        [ledger, ...rivals, ...rivals].map(server => createTestKey(server, { accountId })),
      )
      const made = results.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []))
      expect(made).toHaveLength(3)
      await expect(createTestKey(ledger, { accountId })).rejects.toMatchObject(tooMany)
      const { credential, keyId } = made[0] ?? { credential: null, keyId: '' }
      const secretHash = credential?.secretHash ?? ''
      expect(await createTestKey(ledger, { accountId, secretHash })).toMatchObject({ keyId })
      await ledger.revokeKey({ accountId, keyId })
      await createTestKey(ledger, { accountId })
    })

    test('to 1,000 keys per account in total, including revoked ones', async () => {
      const { accountId } = await createFundedAccount(ledger, 0n)
      await invent(accountId, KEY_COUNT_MAX - 1, 'now()')
      const { keyId } = await createTestKey(ledger, { accountId })
      await ledger.revokeKey({ accountId, keyId })
      await expect(createTestKey(ledger, { accountId })).rejects.toMatchObject(tooMany)
      expect(await ledger.listKeys({ accountId })).toHaveLength(KEY_COUNT_MAX)
    })
  })

  test('another account’s key cannot be read, changed or revoked', async () => {
    const owner = await createFundedAccount(ledger, 10n)
    const stranger = await createFundedAccount(ledger, 10n)
    const { keyId, credential } = await createTestKey(ledger, { accountId: owner.accountId })
    const asStranger = { accountId: stranger.accountId, keyId }
    expect(await ledger.getKey(asStranger)).toBeNull()
    expect(await ledger.updateKey({ ...asStranger, label: 'mine' })).toBeNull()
    expect(await ledger.updateKey({ ...asStranger, resetPeriod: 'daily' })).toBeNull()
    expect(await ledger.revokeKey(asStranger)).toBeNull()
    expect(await ledger.getKey({ accountId: owner.accountId, keyId: 'no id' })).toBeNull()
    expect(await ledger.listKeys(stranger)).toEqual([])
    expect(await ledger.getBalance({ credential })).toMatchObject({ accountId: owner.accountId, keyId })
  })

  test('one of an account’s keys is read, changed and revoked alone', async () => {
    const { accountId } = await createFundedAccount(ledger, 10n)
    const [key, other] = [
      await createTestKey(ledger, { accountId }),
      await createTestKey(ledger, { accountId }),
    ]
    const read = ({ keyId }: { keyId: string }) => ledger.getKey({ accountId, keyId })
    const [before, othersBefore] = [await read(key), await read(other)]
    expect([before?.keyId, othersBefore?.keyId]).toEqual([key.keyId, other.keyId])
    await ledger.updateKey({ accountId, keyId: key.keyId, label: 'changed' })
    await ledger.updateKey({ accountId, keyId: key.keyId, resetPeriod: 'daily' })
    await ledger.revokeKey({ accountId, keyId: key.keyId })
    expect(await read(key)).toMatchObject({
      label: 'changed',
      resetPeriod: 'daily',
      revokedAt: expect.any(Date),
    })
    expect(await read(other)).toEqual(othersBefore)
    expect(await ledger.getBalance(other)).toMatchObject({ keyId: other.keyId })
  })

  test('a revoked key can neither hold nor read the balance, its open holds can still end, and it stays listed', async () => {
    const { accountId } = await createFundedAccount(ledger, 100n)
    const { keyId, credential } = await createTestKey(ledger, { accountId })
    const holdId = await openHold(ledger, credential, 40n)
    const revoked = await ledger.revokeKey({ accountId, keyId })
    expect(revoked?.revokedAt).toEqual(expect.any(Date))
    expect(await ledger.revokeKey({ accountId, keyId })).toEqual(revoked)
    expect(await ledger.hold(holdInput(credential, 1n))).toEqual({ outcome: 'unknown_credential' })
    expect(await ledger.getBalance({ credential })).toBeNull()
    expect(await ledger.settle({ holdId, costNano: 30n, usage: USAGE })).toMatchObject({ chargedNano: 30n })
    expect(await ledger.listKeys({ accountId })).toMatchObject([{ keyId, usageNano: 30n }])
    await booksBalance()
  })

  test('an expired key is refused as unknown; one with a later expiry works', async () => {
    const { accountId } = await createFundedAccount(ledger, 100n)
    const expired = await createTestKey(ledger, { accountId, expiresAt: PAST })
    const valid = await createTestKey(ledger, { accountId, expiresAt: FUTURE })
    expect(await ledger.hold(holdInput(expired.credential, 1n))).toEqual({ outcome: 'unknown_credential' })
    expect(await ledger.getBalance(expired)).toBeNull()
    expect(await ledger.hold(holdInput(valid.credential, 1n))).toMatchObject({ keyId: valid.keyId })
  })

  test('the available amount of a key is capped by its remaining limit', async () => {
    const { accountId } = await createFundedAccount(ledger, 100n)
    const { credential } = await createTestKey(ledger, { accountId, usageLimitNano: 30n })
    const settled = await openHold(ledger, credential, 10n)
    await ledger.settle({ holdId: settled, costNano: 8n, usage: USAGE })
    await openHold(ledger, credential, 5n)
    expect(await ledger.getBalance({ credential })).toMatchObject({
      balanceNano: 92n,
      heldNano: 5n,
      availableNano: 17n,
    })
  })

  test('a hold is refused if it exceeds either the key’s limit or the balance', async () => {
    const { accountId } = await createFundedAccount(ledger, 100n)
    const small = await createTestKey(ledger, { accountId, usageLimitNano: 30n })
    const large = await createTestKey(ledger, { accountId, usageLimitNano: 500n })
    expect(await ledger.hold(holdInput(small.credential, 31n))).toEqual({
      outcome: 'key_limit_reached',
      availableNano: 30n,
      requiredNano: 31n,
    })
    expect(await ledger.getBalance(large)).toMatchObject({ availableNano: 100n })
    expect(await ledger.hold(holdInput(large.credential, 101n))).toEqual({
      outcome: 'insufficient_credit',
      availableNano: 100n,
      requiredNano: 101n,
    })
    expect(await ledger.hold(holdInput(small.credential, 50n, { minimumNano: 1n }))).toMatchObject({
      outcome: 'held',
      amountNano: 30n,
    })
  })

  test('64 parallel holds of a key with a limit for exactly 9: 9 are held, the others refused', async () => {
    const { accountId } = await createFundedAccount(ledger, 10_000n)
    const { credential } = await createTestKey(ledger, { accountId, usageLimitNano: 9n * 5n + 4n })
    const results = await Promise.all(
      Array.from({ length: PARALLEL_COUNT }, (_, index) =>
        (rivals[index % rivals.length] ?? ledger).hold(holdInput(credential, 5n)),
      ),
    )
    const outcomes = results.map(result => result.outcome)
    expect(outcomes.filter(outcome => outcome === 'held')).toHaveLength(9)
    expect(outcomes.filter(outcome => outcome === 'key_limit_reached')).toHaveLength(PARALLEL_COUNT - 9)
    await booksBalance()
  })

  test('parallel spending by two keys and the credit_id of one account neither deadlocks nor loses money', async () => {
    const { accountId, credential } = await createFundedAccount(ledger, 10_000n)
    const keys = [
      await createTestKey(ledger, { accountId, usageLimitNano: 300n }),
      await createTestKey(ledger, { accountId }),
    ]
    const credentials = [credential, ...keys.map(key => key.credential)]
    await Promise.all(
      Array.from({ length: PARALLEL_COUNT * 3 }, async (_, index) => {
        const server = rivals[index % rivals.length] ?? ledger
        const result = await server.hold(holdInput(credentials[index % 3] ?? credential, 10n))
        if (result.outcome !== 'held') return
        const costNano = BigInt(index % 20)
        await server.settle({ holdId: result.holdId, costNano, usage: USAGE })
      }),
    )
    expect(await ledger.getBalance({ credential })).toMatchObject({ heldNano: 0n })
    await booksBalance()
  })

  test.each([
    ['daily', '1 day'],
    ['weekly', '7 days'],
    ['monthly', '31 days'],
  ] as const)('a %s limit resets after its period', async (resetPeriod, age) => {
    const { accountId } = await createFundedAccount(ledger, 1_000n)
    const { keyId, credential } = await createTestKey(ledger, { accountId, usageLimitNano: 50n, resetPeriod })
    const spend = async () =>
      ledger.settle({ holdId: await openHold(ledger, credential, 50n), costNano: 50n, usage: USAGE })
    await spend()
    expect(await ledger.hold(holdInput(credential, 1n))).toMatchObject({ outcome: 'key_limit_reached' })

    await run(
      `update api_key set usage_period_start = usage_period_start - interval '${age}' where id = '${keyId}'`,
    )
    await run(`update hold set resolved_at = resolved_at - interval '${age}' where key_id = '${keyId}'`)
    expect(await ledger.getKey({ accountId, keyId })).toMatchObject({ usageNano: 0n })
    expect(await ledger.getBalance({ credential })).toMatchObject({ availableNano: 50n })
    await spend()
    expect(await ledger.getKey({ accountId, keyId })).toMatchObject({ usageNano: 50n })
    expect(await ledger.hold(holdInput(credential, 1n))).toMatchObject({ outcome: 'key_limit_reached' })
    await booksBalance()
  })

  test('a charge that waited past midnight counts towards the day before', async () => {
    const { accountId } = await createFundedAccount(ledger, 100n)
    const { keyId, credential } = await createTestKey(ledger, { accountId, resetPeriod: 'daily' })
    const [late, next] = [await openHold(ledger, credential, 20n), await openHold(ledger, credential, 5n)]
    await ledger.settle({ holdId: next, costNano: 5n, usage: USAGE })
    await run(
      `update api_key set usage_period_start = usage_period_start + interval '1 day' where id = '${keyId}'`,
    )
    await run(`update hold set resolved_at = resolved_at + interval '1 day' where id = '${next}'`)
    await ledger.settle({ holdId: late, costNano: 20n, usage: USAGE })
    expect(await ledger.getKey({ accountId, keyId })).toMatchObject({ usageNano: 5n })
    await booksBalance()
  })

  test.each(['Pacific/Kiritimati', 'Pacific/Pago_Pago'])(
    'periods start at midnight, on Monday and on the first, in UTC, also for a session in %s',
    async timeZone => {
      const { rows } = await getDatabase()
        .kysely.transaction()
        .execute(async session => {
          await session.executeQuery(CompiledQuery.raw(`set local time zone '${timeZone}'`))
          return session.executeQuery<Record<string, Date>>(
            CompiledQuery.raw(
              `select key_period_start('daily', at) as daily, key_period_start('weekly', at) as weekly,
                key_period_start('monthly', at) as monthly
              from (values ('2026-07-12 23:30:00-07'::timestamptz)) moment(at)`,
            ),
          )
        })
      expect(rows).toEqual([
        {
          daily: new Date('2026-07-13T00:00:00Z'),
          weekly: new Date('2026-07-13T00:00:00Z'),
          monthly: new Date('2026-07-01T00:00:00Z'),
        },
      ])
    },
  )

  test('an update changes only the given fields; null removes a limit', async () => {
    const { accountId } = await createFundedAccount(ledger, 100n)
    const { keyId, credential } = await createTestKey(ledger, { accountId, usageLimitNano: 10n })
    expect(await ledger.updateKey({ accountId, keyId, label: 'renamed' })).toMatchObject({
      label: 'renamed',
      usageLimitNano: 10n,
    })
    expect(
      await ledger.updateKey({ accountId, keyId, usageLimitNano: null, expiresAt: FUTURE }),
    ).toMatchObject({
      label: 'renamed',
      usageLimitNano: null,
      expiresAt: FUTURE,
    })
    expect(await ledger.hold(holdInput(credential, 100n))).toMatchObject({ outcome: 'held' })
    expect(await ledger.updateKey({ accountId, keyId })).toMatchObject({ label: 'renamed' })
  })

  test('an update that keeps the reset period takes one statement', async () => {
    const { accountId } = await createFundedAccount(ledger, 0n)
    const { keyId } = await createTestKey(ledger, { accountId, resetPeriod: 'daily' })
    let statementCount = 0
    const counting: KyselyPlugin = {
      transformQuery({ node }) {
        statementCount += 1
        return node
      },
      transformResult: async ({ result }) => result,
    }
    const database = { ...getDatabase(), kysely: getDatabase().kysely.withPlugin(counting) }
    const counted = createEmbeddedLedger({ database })
    const change = { accountId, keyId, label: 'renamed', usageLimitNano: 5n, resetPeriod: 'daily' } as const
    expect(await counted.updateKey(change)).toMatchObject({ label: 'renamed', usageLimitNano: 5n })
    expect(statementCount).toBe(1)
  })

  test('a limit lowered below the held amount stops new holds, while the open hold can still be settled', async () => {
    const { accountId } = await createFundedAccount(ledger, 100n)
    const { keyId, credential } = await createTestKey(ledger, { accountId, usageLimitNano: 50n })
    const holdId = await openHold(ledger, credential, 50n)
    await ledger.updateKey({ accountId, keyId, usageLimitNano: 20n })
    expect(await ledger.hold(holdInput(credential, 1n))).toMatchObject({
      outcome: 'key_limit_reached',
      availableNano: 0n,
    })
    expect(await ledger.getBalance({ credential })).toMatchObject({ availableNano: 0n })
    expect(await ledger.settle({ holdId, costNano: 50n, usage: USAGE })).toMatchObject({ chargedNano: 50n })
    await booksBalance()
  })

  test('a changed reset period recomputes the usage from the charges since its start', async () => {
    const { accountId } = await createFundedAccount(ledger, 1_000n)
    const { keyId, credential } = await createTestKey(ledger, { accountId, usageLimitNano: 500n })
    const old = await openHold(ledger, credential, 100n)
    await ledger.settle({ holdId: old, costNano: 100n, usage: USAGE })
    await run(`update hold set resolved_at = resolved_at - interval '40 days' where id = '${old}'`)
    const today = await openHold(ledger, credential, 30n)
    await ledger.settle({ holdId: today, costNano: 30n, usage: USAGE })
    expect(await ledger.updateKey({ accountId, keyId, resetPeriod: 'daily' })).toMatchObject({
      usageNano: 30n,
    })
    expect(await ledger.updateKey({ accountId, keyId, resetPeriod: 'none' })).toMatchObject({
      usageNano: 130n,
    })
    await booksBalance()
  })
})
