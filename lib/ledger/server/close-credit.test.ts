import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import type { Nano } from '@/lib/money/nano'
import { createRefillLinks } from '@/lib/payments/server/refill-links'
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

type Account = Awaited<ReturnType<typeof createFundedAccount>>

describeOnPostgres('a leaked credit, closed for a new one', getDatabase => {
  let ledger: Ledger
  let leaked: Account
  let own: Account
  /** Of somebody who knows the leaked credit, too. */
  let thief: Account
  beforeAll(() => {
    ledger = createEmbeddedLedger({ database: getDatabase() })
  })
  beforeEach(async () => {
    leaked = await createFundedAccount(ledger, 20n)
    own = await createFundedAccount(ledger, 0n)
    thief = await createFundedAccount(ledger, 50n)
  })
  afterEach(async () => {
    expect(isBalanced(await checkLedger({ database: getDatabase() }))).toBe(true)
  })

  const close = (reference = randomUUID()) =>
    ledger.merge({ from: leaked.credential, into: own.credential, reference, closes: true })
  const balanceNano = async ({ credential }: Account) =>
    (await ledger.getBalance({ credential }))?.balanceNano ?? null
  const move = (account: Account, amountNano: Nano) => ({
    accountId: account.accountId,
    amountNano,
    source: 'gateway' as const,
    reference: randomUUID(),
    memo: {},
  })

  test('gives all it has, and is unknown to everybody from then on', async () => {
    const key = await createTestKey(ledger, { accountId: leaked.accountId })
    const links = createRefillLinks({ database: getDatabase() })
    await links.create({ accountId: leaked.accountId, tokenHash: hashOf('link'), name: null })
    expect(await close()).toEqual({ outcome: 'merged', movedNano: 20n, balanceNano: 20n, isClosed: true })
    const unknown = { outcome: 'unknown_credential' }
    const reference = randomUUID()
    expect(await balanceNano(leaked)).toBeNull()
    expect(await ledger.hold(holdInput(leaked.credential, 0n))).toEqual(unknown)
    expect(await ledger.hold(holdInput(key.credential, 0n))).toEqual(unknown)
    expect(await ledger.merge({ from: thief.credential, into: leaked.credential, reference })).toEqual(
      unknown,
    )
    expect(await ledger.merge({ from: leaked.credential, into: thief.credential, reference })).toEqual(
      unknown,
    )
    expect(await ledger.merge({ from: key.credential, into: thief.credential, reference })).toEqual(unknown)
    expect(await links.find({ tokenHash: hashOf('link') })).toBeNull()
    expect(await links.get({ accountId: leaked.accountId })).toBeNull()
  })

  test('is closed once, however often that is asked', async () => {
    const reference = randomUUID()
    await close(reference)
    const again = { movedNano: 20n, balanceNano: 20n, isClosed: true }
    expect(await close(reference)).toEqual({ outcome: 'already_merged', ...again })
    for (const _ of [2, 3]) expect(await close()).toEqual({ outcome: 'merged', ...again, movedNano: 0n })
    const leavings = getDatabase().kysely.selectFrom('leaving').where('account_id', '=', leaked.accountId)
    expect(await leavings.select('for_account_id').execute()).toEqual([{ for_account_id: own.accountId }])
  })

  test('ends while a part is held, and gives that part later', async () => {
    const { credential } = await createTestKey(ledger, { accountId: leaked.accountId })
    const holdId = await openHold(ledger, credential, 5n)
    const reference = randomUUID()
    const first = { movedNano: 15n, isClosed: false }
    expect(await close(reference)).toMatchObject(first)
    expect([await balanceNano(leaked), await balanceNano(own)]).toEqual([null, 15n])
    expect(await ledger.findClosedAccount(leaked)).toBe(leaked.accountId)
    expect(await ledger.findClosedAccount(own)).toBeNull()
    expect(await ledger.findClosedAccount({ credential })).toBeNull()
    await ledger.release({ holdId, usage: USAGE })
    // Whoever was told that nothing will follow would leave what was held.
    expect(await close(reference)).toMatchObject({ outcome: 'already_merged', ...first })
    expect(await close()).toMatchObject({ movedNano: 5n, isClosed: true })
    expect([await balanceNano(leaked), await balanceNano(own)]).toEqual([null, 20n])
  })

  test('is kept open by nobody who holds a part of it again and again', async () => {
    const hold = () => ledger.hold(holdInput(leaked.credential, 1n))
    const outcomes = []
    for (const _ of [1, 2]) {
      outcomes.push((await hold()).outcome)
      await close()
      await ledger.merge({ from: thief.credential, into: leaked.credential, reference: randomUUID() })
    }
    expect(outcomes).toEqual(['held', 'unknown_credential'])
    expect(await balanceNano(thief)).toBe(50n)
  })

  test('owes alone what is charged back after its end', async () => {
    const spent = await openHold(ledger, leaked.credential, 15n)
    await ledger.settle({ holdId: spent, costNano: 15n, usage: USAGE })
    await close()
    await ledger.credit({ ...move(own, 100n) })
    await ledger.reverse(move(leaked, 20n))
    expect(await close()).toMatchObject({ outcome: 'merged', movedNano: 0n, isClosed: true })
    expect(await balanceNano(own)).toBe(100n)
  })

  test('is never an account that a key alone holds, which stays usable', async () => {
    const { credential: from } = await createFundedKey(ledger, 10n)
    const merged = await ledger.merge({ from, into: own.credential, reference: randomUUID(), closes: true })
    expect(merged).toEqual({ outcome: 'merged', movedNano: 10n, balanceNano: 10n, isClosed: false })
    expect(await ledger.getBalance({ credential: from })).toMatchObject({ balanceNano: 0n })
  })

  test('leaves the time at which a key was revoked before', async () => {
    const { accountId } = leaked
    const { keyId } = await createTestKey(ledger, { accountId })
    await ledger.revokeKey({ accountId, keyId })
    const before = await ledger.getKey({ accountId, keyId })
    await close()
    expect(before?.revokedAt).toBeInstanceOf(Date)
    expect(await ledger.getKey({ accountId, keyId })).toEqual(before)
  })

  test('gets no key from somebody who found it before its end', async () => {
    await close()
    const key = createTestKey(ledger, { accountId: leaked.accountId })
    await expect(key).rejects.toMatchObject({ code: 'unknown_account' })
  })

  test('has no refill link that was asked for before its end and stored after it', async () => {
    await close()
    const links = createRefillLinks({ database: getDatabase() })
    await links.create({ accountId: leaked.accountId, tokenHash: hashOf('late'), name: null })
    expect(await links.find({ tokenHash: hashOf('late') })).toBeNull()
  })

  test('stays open in an ordinary merge, with its refill link and new keys', async () => {
    const { accountId } = leaked
    const links = createRefillLinks({ database: getDatabase() })
    const tokenHash = hashOf(accountId)
    await links.create({ accountId, tokenHash, name: null })
    const input = { from: leaked.credential, into: own.credential, reference: randomUUID() }
    expect(await ledger.merge(input)).toEqual({ outcome: 'merged', movedNano: 20n, balanceNano: 20n })
    expect(await balanceNano(leaked)).toBe(0n)
    expect(await links.find({ tokenHash })).toEqual({ accountId, name: null })
    const key = await createTestKey(ledger, { accountId })
    expect(await ledger.getBalance(key)).toMatchObject({ balanceNano: 0n })
  })

  test('passes on every payment, whenever it was asked for, and gives it back if it is refunded', async () => {
    await close()
    for (const askedAt of [new Date(0), new Date(Date.now() + 3_600_000)]) {
      const payment = { ...move(leaked, 7n), askedAt }
      await ledger.credit(payment)
      expect(await balanceNano(own)).toBe(27n)
      await ledger.reverse({ ...payment, reference: randomUUID() })
      expect(await balanceNano(own)).toBe(20n)
    }
  })

  test('lets a refund of what was paid before find its money', async () => {
    await close()
    await ledger.reverse(move(leaked, 20n))
    expect(await balanceNano(own)).toBe(0n)
  })

  test('was emptied into another one before, and follows the new one from then on', async () => {
    await ledger.merge({ from: leaked.credential, into: thief.credential, reference: randomUUID() })
    await close()
    await ledger.credit({ ...move(leaked, 7n), askedAt: new Date(Date.now() + 3_600_000) })
    expect([await balanceNano(own), await balanceNano(thief)]).toEqual([7n, 70n])
    expect(await close()).toMatchObject({ outcome: 'merged', isClosed: true })
  })
})
