import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Credential } from './domain/accounts'
import type { Ledger } from './domain/ledger'
import { openReceipt } from './domain/receipts'
import { QUERY_TYPES } from './domain/usage'
import { createFundedAccount, createTestKey, EXCHANGE, hashOf, holdInput, openHold, USAGE } from './testing'
import { testKeysContract } from './testing-contract-keys'

const PARALLEL_COUNT = 16
const UNKNOWN_ID = '00000000-0000-4000-8000-00000000ffff'

/** What every ledger must do, wherever it is kept: run against each implementation of the interface. */
export function describeLedgerContract(name: string, getLedger: () => Ledger): void {
  describe(`a ledger ${name}`, () => {
    let ledger: Ledger
    let accountId: string
    let credential: Credential
    beforeAll(async () => {
      ledger = getLedger()
      const account = await createFundedAccount(ledger, 1_000_000n)
      accountId = account.accountId
      credential = account.credential
    })

    test('unknown credentials, holds, keys and exchanges are results', async () => {
      const nobody = { kind: 'credit_id', secretHash: hashOf(randomUUID()) } as const
      expect(await ledger.getBalance({ credential: nobody })).toBeNull()
      expect(await ledger.findClosedAccount({ credential: nobody })).toBeNull()
      expect(await ledger.hold(holdInput(nobody, 1n))).toEqual({ outcome: 'unknown_credential' })
      const hold = { holdId: UNKNOWN_ID, usage: USAGE }
      expect(await ledger.settle({ ...hold, costNano: 1n })).toEqual({ outcome: 'unknown_hold' })
      expect(await ledger.release(hold)).toEqual({ outcome: 'unknown_hold' })
      expect(await ledger.renew({ holdId: UNKNOWN_ID, ttlSeconds: 1, checkpoint: null })).toEqual({
        renewed: false,
      })
      const key = { accountId, keyId: UNKNOWN_ID }
      expect(await ledger.getKey(key)).toBeNull()
      expect(await ledger.updateKey({ ...key, label: 'x' })).toBeNull()
      expect(await ledger.revokeKey(key)).toBeNull()
      expect(await ledger.getUsage({ accountId, holdId: UNKNOWN_ID })).toBeNull()
    })

    test('a receipt is for whoever may see the call, once it is over, and of a key that is listed', async () => {
      const { keyId, credential: key } = await createTestKey(ledger, { accountId })
      const { keyId: otherKeyId } = await createTestKey(ledger, { accountId })
      const stranger = await createFundedAccount(ledger, 0n)
      const holdId = await openHold(ledger, key, 50n)
      const own = { accountId, keyId, holdId, iss: 'https://site.test' }
      expect(await ledger.signReceipt(own)).toBeNull()
      await ledger.settle({ holdId, costNano: 20n, usage: { ...USAGE, otherCounts: { web_search: 2 } } })
      const signed = await ledger.signReceipt(own)
      expect(openReceipt(signed?.jws ?? '')).toMatchObject({
        id: holdId,
        charged_usd: '0.00000002',
        counts: { input: USAGE.inputTokenCount, web_search: 2 },
      })
      expect(await ledger.signReceipt({ ...own, keyId: null })).toEqual(signed)
      for (const other of [{ keyId: otherKeyId }, { accountId: stranger.accountId }, { holdId: UNKNOWN_ID }])
        expect(await ledger.signReceipt({ ...own, ...other })).toBeNull()
      const { kid } = JSON.parse(atob(signed?.jws.split('.')[0] ?? ''))
      expect((await ledger.listReceiptKeys())[0]).toMatchObject({ kid, kty: 'OKP', crv: 'Ed25519' })
    })

    test('money for nobody and amounts out of bounds are typed errors', async () => {
      const move = { amountNano: 1n, source: 'operator', reference: randomUUID(), memo: {} } as const
      const unknown = { name: 'LedgerError', code: 'unknown_account' }
      const invalid = { name: 'LedgerError', code: 'invalid_input' }
      await expect(ledger.credit({ ...move, accountId: UNKNOWN_ID })).rejects.toMatchObject(unknown)
      await expect(ledger.reverse({ ...move, accountId: UNKNOWN_ID })).rejects.toMatchObject(unknown)
      await expect(createTestKey(ledger, { accountId: UNKNOWN_ID })).rejects.toMatchObject(unknown)
      await expect(ledger.credit({ ...move, accountId, amountNano: -1n })).rejects.toMatchObject(invalid)
      await expect(ledger.hold(holdInput(credential, -1n))).rejects.toMatchObject(invalid)
      await expect(ledger.hold(holdInput(credential, 10n ** 30n))).rejects.toMatchObject(invalid)
      await expect(ledger.sweep({ holdCountMax: 0 })).rejects.toMatchObject(invalid)
    })

    test('an exchange is held, renewed, settled once, and listed with all that is known of it', async () => {
      const idempotencyKeyHash = hashOf(randomUUID())
      const input = holdInput(credential, 500n, { idempotencyKeyHash })
      const held = await ledger.hold(input)
      expect(held).toEqual({
        outcome: 'held',
        holdId: expect.any(String),
        accountId,
        keyId: null,
        amountNano: 500n,
      })
      const holdId = held.outcome === 'held' ? held.holdId : ''
      expect(await ledger.hold(input)).toEqual({
        outcome: 'duplicate',
        holdId,
        accountId,
        sameRequest: true,
        state: 'open',
      })
      expect(await ledger.renew({ holdId, ttlSeconds: 30, checkpoint: null })).toEqual({ renewed: true })
      const checkpoint = { costNano: 300n, usage: USAGE }
      expect(await ledger.renew({ holdId, ttlSeconds: 30, checkpoint })).toEqual({ renewed: true })
      expect(await ledger.getUsage({ accountId, holdId })).toBeNull()
      const { balanceNano } = (await ledger.getBalance({ credential })) ?? { balanceNano: 0n }
      const settled = { chargedNano: 321n, balanceNano: balanceNano - 321n }
      const settlement = { holdId, costNano: 321n, usage: USAGE }
      expect(await ledger.settle(settlement)).toEqual({ outcome: 'resolved', lossNano: 0n, ...settled })
      const already = { outcome: 'already_resolved', state: 'settled', ...settled }
      expect(await ledger.settle({ ...settlement, costNano: 1n })).toEqual(already)
      expect(await ledger.release({ holdId, usage: USAGE })).toEqual(already)
      const record = {
        ...USAGE,
        ...EXCHANGE,
        holdId,
        keyId: null,
        heldNano: 500n,
        chargedNano: 321n,
        createdAt: expect.any(Date),
      }
      expect(await ledger.getUsage({ accountId, holdId })).toEqual(record)
      const page = { accountId, limit: 1, cursor: null, from: null, to: null, modelId: null, keyId: null }
      expect((await ledger.listUsage(page)).records).toEqual([record])
    })

    test('who has cost the operator too much on a day hears when he may ask again', async () => {
      const { credential: failing } = await createFundedAccount(ledger, 10n)
      const failed = { holdId: await openHold(ledger, failing, 1n), usage: USAGE }
      expect(await ledger.release({ ...failed, absorbedNano: 100n })).toMatchObject({ lossNano: 100n })
      expect(await ledger.hold(holdInput(failing, 1n))).toEqual({
        outcome: 'loss_limit_reached',
        retryAfterSeconds: expect.any(Number),
      })
    })

    test.each(QUERY_TYPES)('a call of the kind %s is listed as what it is', async queryType => {
      const holdId = await openHold(ledger, credential, 1n, { exchange: { ...EXCHANGE, queryType } })
      await ledger.release({ holdId, usage: USAGE })
      expect(await ledger.getUsage({ accountId, holdId })).toMatchObject({ queryType })
    })

    test('calls are added up by account and by key, and found by the name of their answer', async () => {
      const account = await createFundedAccount(ledger, 1_000n)
      const key = await createTestKey(ledger, { accountId: account.accountId })
      const { accountId } = account
      for (const [payer, costNano, answerId] of [
        [account, 20n, 'gen-1'],
        [key, 30n, 'gen-2'],
      ] as const) {
        const holdId = await openHold(ledger, payer.credential, 50n)
        await ledger.settle({ holdId, costNano, usage: { ...USAGE, answerId } })
      }
      await openHold(ledger, account.credential, 50n)
      const sums = (nano: bigint) => ({ totalNano: nano, dayNano: nano, weekNano: nano, monthNano: nano })
      expect(await ledger.sumUsage({ accountId, keyId: null })).toEqual(sums(50n))
      expect(await ledger.sumUsage({ accountId, keyId: key.keyId })).toEqual(sums(30n))
      expect(await ledger.sumUsage({ accountId: 'nobody', keyId: null })).toEqual(sums(0n))
      const find = (keyId: string | null, answerId: string) =>
        ledger.findUsage({ accountId, keyId, answerId })
      expect(await find(null, 'gen-1')).toMatchObject({ chargedNano: 20n, keyId: null, answerId: 'gen-1' })
      expect(await find(key.keyId, 'gen-2')).toMatchObject({ chargedNano: 30n, keyId: key.keyId })
      expect(await find(key.keyId, 'gen-1')).toBeNull()
      const stranger = await createFundedAccount(ledger, 1n)
      expect(
        await ledger.findUsage({ accountId: stranger.accountId, keyId: null, answerId: 'gen-1' }),
      ).toBeNull()
    })

    test('a call is charged at most its hold, though more is available', async () => {
      const account = await createFundedAccount(ledger, 1_000n)
      const holdId = await openHold(ledger, account.credential, 50n)
      expect(await ledger.settle({ holdId, costNano: 80n, usage: USAGE })).toEqual({
        outcome: 'resolved',
        chargedNano: 50n,
        lossNano: 30n,
        balanceNano: 950n,
      })
    })

    test('what is billed beyond the cost is the operator’s loss', async () => {
      const account = await createFundedAccount(ledger, 100n)
      const holdId = await openHold(ledger, account.credential, 50n)
      expect(await ledger.settle({ holdId, costNano: 20n, absorbedNano: 30n, usage: USAGE })).toMatchObject({
        chargedNano: 20n,
        lossNano: 30n,
        balanceNano: 80n,
      })
    })

    test('what is billed for an answer that never came is too', async () => {
      const account = await createFundedAccount(ledger, 100n)
      const holdId = await openHold(ledger, account.credential, 50n)
      expect(await ledger.release({ holdId, absorbedNano: 30n, usage: USAGE })).toMatchObject({
        chargedNano: 0n,
        lossNano: 30n,
        balanceNano: 100n,
      })
    })

    test('with less than the minimum all that is available is held, at the risk of the day', async () => {
      const account = await createFundedAccount(ledger, 40n)
      const asked = holdInput(account.credential, 100n, { minimumNano: 50n, leastNano: 30n })
      expect(await ledger.hold({ ...asked, leastNano: 50n })).toMatchObject({ requiredNano: 50n })
      expect(await ledger.hold(asked)).toMatchObject({ outcome: 'held', amountNano: 40n })
    })

    test('a balance for exactly five is spent by five of many at once', async () => {
      const account = await createFundedAccount(ledger, 54n)
      const results = await Promise.all(
        Array.from({ length: PARALLEL_COUNT }, () => ledger.hold(holdInput(account.credential, 10n))),
      )
      expect(results.filter(result => result.outcome === 'held')).toHaveLength(5)
      expect(results.find(result => result.outcome !== 'held')).toEqual({
        outcome: 'insufficient_credit',
        availableNano: 4n,
        requiredNano: 10n,
      })
    })

    test('a payment is credited once and taken back once', async () => {
      const account = await createFundedAccount(ledger, 0n)
      const reference = randomUUID()
      const move = {
        accountId: account.accountId,
        amountNano: 100n,
        source: 'gateway',
        reference,
        memo: {},
      } as const
      const credits = await Promise.all(Array.from({ length: PARALLEL_COUNT }, () => ledger.credit(move)))
      expect(credits.filter(result => result.outcome === 'credited')).toHaveLength(1)
      await openHold(ledger, account.credential, 30n)
      const taken = { takenNano: 70n, debtNano: 30n, balanceNano: 30n }
      expect(await ledger.reverse(move)).toEqual({ outcome: 'reversed', ...taken })
      expect(await ledger.reverse(move)).toEqual({ outcome: 'already_reversed', ...taken })
      expect(await ledger.getBalance(account)).toMatchObject({ availableNano: 0n, debtNano: 30n })
      const late = { ...move, amountNano: 50n, reference: randomUUID() }
      expect(await ledger.credit(late)).toEqual({ outcome: 'credited', balanceNano: 50n })
      expect(await ledger.getBalance(account)).toMatchObject({ availableNano: 20n, debtNano: 0n })
    })

    test('two credits are merged once, but for what is held', async () => {
      const from = await createFundedAccount(ledger, 100n)
      const into = await createFundedAccount(ledger, 5n)
      await openHold(ledger, from.credential, 30n)
      const pair = { from: from.credential, into: into.credential, reference: randomUUID() }
      const moved = { movedNano: 70n, balanceNano: 75n }
      expect(await ledger.merge(pair)).toEqual({ outcome: 'merged', ...moved })
      expect(await ledger.merge(pair)).toEqual({ outcome: 'already_merged', ...moved })
      expect(await ledger.getBalance({ credential: pair.from })).toMatchObject({
        balanceNano: 30n,
        availableNano: 0n,
      })
      const nobody = { kind: 'credit_id', secretHash: hashOf(randomUUID()) } as const
      expect(await ledger.merge({ ...pair, from: nobody })).toEqual({ outcome: 'unknown_credential' })
      expect(await ledger.merge({ ...pair, from: pair.into })).toEqual({ outcome: 'same_account' })
      const closing = { ...pair, reference: randomUUID(), closes: true }
      expect(await ledger.merge(closing)).toMatchObject({ outcome: 'merged', isClosed: false })
      expect(await ledger.getBalance(from)).toBeNull()
      expect(await ledger.findClosedAccount(from)).toBe(from.accountId)
      expect(await ledger.findClosedAccount(into)).toBeNull()
    })

    test('a refund finds the money that was merged away', async () => {
      const from = await createFundedAccount(ledger, 100n)
      const into = await createFundedAccount(ledger, 5n)
      await ledger.merge({ from: from.credential, into: into.credential, reference: randomUUID() })
      const move = { amountNano: 100n, source: 'gateway', reference: randomUUID(), memo: {} } as const
      expect(await ledger.reverse({ ...move, accountId: from.accountId })).toEqual({
        outcome: 'reversed',
        takenNano: 100n,
        debtNano: 0n,
        balanceNano: 0n,
      })
      expect(await ledger.getBalance(into)).toMatchObject({ balanceNano: 5n, debtNano: 0n })
    })

    testKeysContract(getLedger)

    test('pages of usage follow one another by their cursor', async () => {
      const account = await createFundedAccount(ledger, 1_000n)
      const page = { accountId: account.accountId, from: null, to: null, modelId: null, keyId: null }
      for (let count = 0; count < 3; count += 1) {
        await ledger.release({ holdId: await openHold(ledger, account.credential, 1n), usage: USAGE })
      }
      const first = await ledger.listUsage({ ...page, limit: 2, cursor: null })
      const second = await ledger.listUsage({ ...page, limit: 2, cursor: first.nextCursor })
      expect([first.records.length, second.records.length, second.nextCursor]).toEqual([2, 1, null])
      const to = new Date(0)
      expect(await ledger.listUsage({ ...page, limit: 2, cursor: null, to })).toEqual({
        records: [],
        nextCursor: null,
      })
    })

    test('nothing that still lives is swept', async () => {
      await openHold(ledger, credential, 1n)
      expect(await ledger.sweep({ holdCountMax: 10 })).toEqual({ releasedHoldIds: [], settledHoldIds: [] })
    })
  })
}
