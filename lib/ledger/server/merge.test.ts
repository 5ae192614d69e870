import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import { NANO_MAX } from '@/lib/money/nano'
import type { Credential } from '../domain/accounts'
import type { MergeResult } from '../domain/credits'
import type { Ledger } from '../domain/ledger'
import {
  createFundedAccount,
  createFundedKey,
  createTestKey,
  hashOf,
  holdInput,
  openHold,
  USAGE,
} from '../testing'
import { checkLedger } from './check-ledger'
import { createEmbeddedLedger } from './embedded-ledger'
import { isBalanced } from './format-ledger-report'

const PARALLEL_COUNT = 20

describeOnPostgres('a merge of two accounts', getDatabase => {
  let servers: Ledger[]
  let ledger: Ledger
  beforeAll(() => {
    servers = Array.from({ length: 5 }, () => createEmbeddedLedger({ database: getDatabase() }))
    ledger = createEmbeddedLedger({ database: getDatabase() })
  })
  afterEach(async () => {
    expect(isBalanced(await checkLedger({ database: getDatabase() }))).toBe(true)
  })
  const atOnce = <Result>(ask: (server: Ledger, index: number) => Promise<Result>): Promise<Result[]> =>
    Promise.all(
      Array.from({ length: PARALLEL_COUNT }, (_, index) =>
        ask(servers[index % servers.length] ?? ledger, index),
      ),
    )
  const pair = async (fromNano: bigint, intoNano: bigint) => ({
    from: (await createFundedAccount(ledger, fromNano)).credential,
    into: (await createFundedAccount(ledger, intoNano)).credential,
    reference: randomUUID(),
  })
  const balanceNano = async (credential: Credential) =>
    (await ledger.getBalance({ credential }))?.balanceNano ?? null
  const movedNano = (result: MergeResult) =>
    result.outcome === 'merged' && result.movedNano > 0n ? [result.movedNano] : []

  test('into an API key is refused', async () => {
    const key = await createFundedKey(ledger, 10n)
    const { from, reference } = await pair(10n, 0n)
    const invalid = { name: 'LedgerError', code: 'invalid_input' }
    await expect(ledger.merge({ from, into: key.credential, reference })).rejects.toMatchObject(invalid)
    expect(await balanceNano(from)).toBe(10n)
  })

  test('from an API key is refused if its account has a credit_id', async () => {
    const owner = await createFundedAccount(ledger, 10n)
    const { credential: key } = await createTestKey(ledger, { accountId: owner.accountId })
    const { into, reference } = await pair(0n, 0n)
    expect(await ledger.merge({ from: key, into, reference })).toEqual({ outcome: 'key_only_spends' })
    expect(await ledger.merge({ from: key, into: owner.credential, reference })).toEqual({
      outcome: 'same_account',
    })
    expect(await balanceNano(owner.credential)).toBe(10n)
  })

  test.each([
    ['with a limit', { usageLimitNano: 5n }, 'key_only_spends'],
    ['that has expired', { expiresAt: new Date(0) }, 'unknown_credential'],
  ])('from a key %s is refused, though it is the only credential', async (_name, change, outcome) => {
    const { credential: from, ...key } = await createFundedKey(ledger, 10n)
    const { into, reference } = await pair(0n, 0n)
    await ledger.updateKey({ ...key, ...change })
    expect(await ledger.merge({ from, into, reference })).toEqual({ outcome })
    expect(await balanceNano(into)).toBe(0n)
  })

  test('from a revoked key is refused', async () => {
    const { credential: from, ...key } = await createFundedKey(ledger, 10n)
    const { into, reference } = await pair(0n, 0n)
    await ledger.revokeKey(key)
    expect(await ledger.merge({ from, into, reference })).toEqual({ outcome: 'unknown_credential' })
    expect(await balanceNano(into)).toBe(0n)
  })

  test('from the only credential of an account, an API key, moves everything once, even under parallel requests', async () => {
    const { credential: from } = await createFundedKey(ledger, 100n)
    const rivals = [(await pair(0n, 5n)).into, (await pair(0n, 5n)).into]
    const results = await atOnce((server, index) =>
      server.merge({ from, into: rivals[index % 2] ?? from, reference: randomUUID() }),
    )
    expect(results.flatMap(movedNano)).toEqual([100n])
    expect(await balanceNano(from)).toBe(0n)
  })

  test.each([
    ['no reference', { reference: '' }],
    ['too long a reference', { reference: 'r'.repeat(201) }],
    ['a secret in place of its hash', { from: { kind: 'credit_id', secretHash: randomUUID() } as const }],
  ])('with %s is refused as invalid input', async (_name, wrong) => {
    const input = await pair(10n, 0n)
    await expect(ledger.merge({ ...input, ...wrong })).rejects.toMatchObject({ code: 'invalid_input' })
    expect(await balanceNano(input.from)).toBe(10n)
  })

  test('with an unknown credit_id moves nothing', async () => {
    const { from, reference } = await pair(10n, 0n)
    const nobody = { kind: 'credit_id', secretHash: hashOf(randomUUID()) } as const
    const unknown = { outcome: 'unknown_credential' }
    expect(await ledger.merge({ from: nobody, into: from, reference })).toEqual(unknown)
    expect(await ledger.merge({ from, into: nobody, reference })).toEqual(unknown)
    expect(await ledger.merge({ from: nobody, into: nobody, reference })).toEqual(unknown)
    expect(await balanceNano(from)).toBe(10n)
  })

  test('moves no more at once than a transfer may carry, and the rest when it is repeated', async () => {
    const { from, into } = await pair(NANO_MAX, 0n)
    const accountId = (await ledger.getBalance({ credential: from }))?.accountId ?? ''
    await ledger.credit({ accountId, amountNano: 5n, source: 'gateway', reference: randomUUID(), memo: {} })
    for (const movedNano of [NANO_MAX, 5n])
      expect(await ledger.merge({ from, into, reference: randomUUID() })).toMatchObject({ movedNano })
    expect([await balanceNano(from), await balanceNano(into)]).toEqual([0n, NANO_MAX + 5n])
  })

  test('with itself moves nothing', async () => {
    const { from, reference } = await pair(10n, 0n)
    expect(await ledger.merge({ from, into: from, reference })).toEqual({ outcome: 'same_account' })
    expect(await balanceNano(from)).toBe(10n)
  })

  test('of an empty account moves nothing, and its reference can be used again later', async () => {
    const input = await pair(0n, 5n)
    expect(await ledger.merge(input)).toEqual({ outcome: 'merged', movedNano: 0n, balanceNano: 5n })
    const owner = await ledger.getBalance({ credential: input.from })
    const askedAt = new Date(Date.now() + 3_600_000)
    const credit = { amountNano: 7n, source: 'gateway', reference: randomUUID(), memo: {}, askedAt } as const
    await ledger.credit({ ...credit, accountId: owner?.accountId ?? '' })
    expect(await ledger.merge(input)).toEqual({ outcome: 'merged', movedNano: 7n, balanceNano: 12n })
  })

  describe('forwards later payments of invoices created before it', () => {
    const pay = async (credential: Credential, askedAt: Date | undefined, amountNano = 7n) => {
      const owner = await ledger.getBalance({ credential })
      const payment = { amountNano, source: 'gateway', reference: randomUUID(), memo: {}, askedAt } as const
      const accountId = owner?.accountId ?? ''
      const results = [await ledger.credit({ ...payment, accountId })]
      results.push(await ledger.credit({ ...payment, accountId }))
      expect(results.map(({ outcome }) => outcome)).toEqual(['credited', 'already_credited'])
      return { ...payment, accountId }
    }
    const BEFORE = new Date(0)

    test.each([0n, 10n])('once, after a merge of %s nano-dollars', async fromNano => {
      const input = await pair(fromNano, 5n)
      await ledger.merge(input)
      await pay(input.from, BEFORE)
      expect([await balanceNano(input.from), await balanceNano(input.into)]).toEqual([0n, fromNano + 12n])
    })

    test('whatever the reference of the merge', async () => {
      const { from, into } = await pair(10n, 5n)
      const payment = { amountNano: 7n, source: 'gateway', memo: {}, askedAt: BEFORE } as const
      const reference = randomUUID()
      await ledger.merge({ from, into, reference: `credit/${reference}` })
      const owner = await ledger.getBalance({ credential: from })
      await ledger.credit({ ...payment, reference, accountId: owner?.accountId ?? '' })
      expect([await balanceNano(from), await balanceNano(into)]).toEqual([0n, 22n])
    })

    test('through further merges', async () => {
      const first = await pair(10n, 5n)
      const second = { from: first.into, into: (await pair(0n, 1n)).into, reference: randomUUID() }
      await ledger.merge(first)
      await ledger.merge(second)
      await pay(first.from, BEFORE)
      expect([await balanceNano(first.into), await balanceNano(second.into)]).toEqual([0n, 23n])
    })

    test('but along none that came before the one that they follow', async () => {
      const earlier = await pair(10n, 5n)
      await ledger.merge(earlier)
      const later = { ...(await pair(3n, 0n)), into: earlier.from }
      await ledger.merge(later)
      await pay(later.from, BEFORE)
      expect([await balanceNano(earlier.from), await balanceNano(earlier.into)]).toEqual([10n, 15n])
    })

    test('and not to where somebody else who still has the old account leads', async () => {
      const input = await pair(10n, 5n)
      await ledger.merge(input)
      const thief = await pair(3n, 0n)
      await ledger.merge({ ...thief, into: input.from })
      await pay(input.from, BEFORE)
      await ledger.merge({ ...thief, from: input.from, into: thief.into })
      await pay(input.from, BEFORE)
      expect([await balanceNano(input.into), await balanceNano(thief.into)]).toEqual([29n, 3n])
    })

    test('to where the merge after their creation led, of several, and a gift to where the last one did', async () => {
      const input = await pair(10n, 5n)
      await ledger.merge(input)
      await getDatabase()
        .kysely.updateTable('leaving')
        .set({ left_at: new Date(1) })
        .execute()
      const second = (await pair(0n, 1n)).into
      await ledger.merge({ ...input, into: second })
      await pay(input.from, new Date(1))
      await pay(input.from, new Date(2))
      expect([await balanceNano(input.into), await balanceNano(second)]).toEqual([22n, 8n])
      await pay(input.from, undefined)
      expect([await balanceNano(input.into), await balanceNano(second)]).toEqual([22n, 15n])
    })

    test('no further than a hundred merges, lest somebody who has two credits makes the way too long', async () => {
      const first = await createFundedAccount(ledger, 0n)
      const second = await createFundedAccount(ledger, 0n)
      const ids = [first.accountId, second.accountId]
      const leavings = Array.from({ length: 151 }, (_, index) => ({
        account_id: ids[index % 2] ?? '',
        for_account_id: ids[(index + 1) % 2] ?? '',
        left_at: new Date(),
      }))
      await getDatabase().kysely.insertInto('leaving').values(leavings).execute()
      await pay(first.credential, BEFORE)
      expect([await balanceNano(first.credential), await balanceNano(second.credential)]).toEqual([7n, 0n])
    })

    test('but not those created after it, nor to an account that it was merged back into', async () => {
      const input = await pair(10n, 5n)
      await ledger.merge(input)
      await pay(input.from, new Date(Date.now() + 3_600_000))
      expect(await balanceNano(input.from)).toBe(7n)
      await ledger.merge({ ...input, from: input.into, into: input.from })
      await pay(input.from, BEFORE)
      expect([await balanceNano(input.from), await balanceNano(input.into)]).toEqual([29n, 0n])
    })

    test('but not from an account with only an API key, which stays usable', async () => {
      const { credential: from } = await createFundedKey(ledger, 10n)
      const { into, reference } = await pair(0n, 5n)
      await ledger.merge({ from, into, reference })
      await pay(from, BEFORE)
      expect([await balanceNano(from), await balanceNano(into)]).toEqual([7n, 15n])
    })

    test('but no other credit that the old account has received since', async () => {
      const input = await pair(10n, 5n)
      await ledger.merge(input)
      await pay(input.from, new Date(Date.now() + 3_600_000), 50n)
      await pay(input.from, BEFORE)
      expect([await balanceNano(input.from), await balanceNano(input.into)]).toEqual([50n, 22n])
    })

    test('and remembers no merge when a payment was forwarded', async () => {
      const input = await pair(10n, 5n)
      await ledger.merge(input)
      const leavings = getDatabase().kysely.selectFrom('leaving').selectAll()
      const before = await leavings.execute()
      await pay(input.from, BEFORE)
      expect(await leavings.execute()).toEqual(before)
    })

    test('but not from an account that still has an open hold', async () => {
      const input = await pair(10n, 5n)
      await openHold(ledger, input.from, 4n)
      await ledger.merge(input)
      await pay(input.from, BEFORE)
      expect([await balanceNano(input.from), await balanceNano(input.into)]).toEqual([11n, 11n])
    })

    test('but not the debt of the old account', async () => {
      const input = await pair(0n, 5n)
      const payment = await pay(input.from, BEFORE, 100n)
      const spent = await openHold(ledger, input.from, 100n)
      await ledger.settle({ holdId: spent, costNano: 100n, usage: USAGE })
      await ledger.merge(input)
      await ledger.reverse({ ...payment, reference: randomUUID() })
      await pay(input.from, BEFORE)
      expect(await ledger.getBalance({ credential: input.from })).toMatchObject({ debtNano: 93n })
      expect(await balanceNano(input.into)).toBe(5n)
    })
  })

  test('repeated returns the first result and moves no later credit', async () => {
    const input = await pair(100n, 5n)
    expect(await ledger.merge(input)).toEqual({ outcome: 'merged', movedNano: 100n, balanceNano: 105n })
    const back = { from: input.into, into: input.from, reference: input.reference }
    expect(await ledger.merge(back)).toEqual({ outcome: 'merged', movedNano: 105n, balanceNano: 105n })
    expect(await ledger.merge(input)).toEqual({
      outcome: 'already_merged',
      movedNano: 100n,
      balanceNano: 0n,
    })
    expect(await balanceNano(input.from)).toBe(105n)
  })

  test.each([
    ['the same reference', (reference: string) => reference],
    ['different references', () => randomUUID()],
  ])('requested twenty times in parallel under %s moves the credit once', async (_name, referenceOf) => {
    const input = await pair(100n, 5n)
    const results = await atOnce(server =>
      server.merge({ ...input, reference: referenceOf(input.reference) }),
    )
    expect(results.flatMap(movedNano)).toEqual([100n])
    expect([await balanceNano(input.from), await balanceNano(input.into)]).toEqual([0n, 105n])
  })

  test('in both directions at once neither deadlocks nor creates money', async () => {
    const { from, into } = await pair(60n, 40n)
    const results = await atOnce((server, index) =>
      server.merge({
        ...(index % 2 === 0 ? { from, into } : { from: into, into: from }),
        reference: randomUUID(),
      }),
    )
    expect(results.map(result => result.outcome)).toEqual(Array(PARALLEL_COUNT).fill('merged'))
    expect(((await balanceNano(from)) ?? 0n) + ((await balanceNano(into)) ?? 0n)).toBe(100n)
  })

  test('during holds leaves the held amounts, and all of them can still be charged', async () => {
    const input = await pair(100n, 0n)
    const first = await openHold(ledger, input.from, 10n)
    const results = await atOnce(async (server, index) =>
      index % 4 === 0
        ? { merge: await server.merge({ ...input, reference: randomUUID() }) }
        : { hold: await server.hold(holdInput(input.from, 10n)) },
    )
    const holdIds = results.flatMap(({ hold }) => (hold?.outcome === 'held' ? [hold.holdId] : []))
    const moved = results.flatMap(({ merge }) => (merge ? movedNano(merge) : [])).reduce((a, b) => a + b, 0n)
    expect(moved).toBe(100n - 10n * BigInt(holdIds.length + 1))
    expect(await ledger.getBalance({ credential: input.from })).toMatchObject({ availableNano: 0n })
    for (const holdId of [first, ...holdIds]) {
      expect(await ledger.settle({ holdId, costNano: 10n, usage: USAGE })).toMatchObject({
        outcome: 'resolved',
        chargedNano: 10n,
        lossNano: 0n,
      })
    }
    expect([await balanceNano(input.from), await balanceNano(input.into)]).toEqual([0n, moved])
  })
})
