import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import type { KeyRouting } from './domain/keys'
import type { Ledger } from './domain/ledger'
import {
  createFundedAccount,
  createFundedKey,
  createTestKey,
  holdInput,
  openHold,
  SILENT,
  USAGE,
} from './testing'

const FUTURE = new Date('2100-01-01T00:00:00.000Z')

/** What every ledger must do for API keys: a part of its contract. */
export function testKeysContract(getLedger: () => Ledger): void {
  test('a key that holds its account alone spends from it, and turns into credit', async () => {
    const ledger = getLedger()
    const key = await createFundedKey(ledger, 100n)
    const holdId = await openHold(ledger, key.credential, 30n)
    await ledger.settle({ holdId, costNano: 30n, usage: USAGE })
    const into = await createFundedAccount(ledger, 5n)
    const pair = { from: key.credential, into: into.credential, reference: randomUUID() }
    const owner = await createFundedAccount(ledger, 10n)
    const owned = await createTestKey(ledger, { accountId: owner.accountId })
    expect(await ledger.merge({ ...pair, from: owned.credential })).toEqual({
      outcome: 'key_only_spends',
    })
    expect(await ledger.merge(pair)).toEqual({ outcome: 'merged', movedNano: 70n, balanceNano: 75n })
  })

  test('a key that wants something of hosts holds only for who asks with just that', async () => {
    const ledger = getLedger()
    const { accountId, credential } = await createFundedAccount(ledger, 100n)
    const { keyId, credential: key } = await createTestKey(ledger, { accountId, routing: SILENT })
    const ask = async (keyRouting: KeyRouting | null, by = key) =>
      (await ledger.hold(holdInput(by, 10n, { keyRouting }))).outcome
    expect(await ledger.hold(holdInput(key, 10n))).toEqual({
      outcome: 'other_routing',
      keyRouting: SILENT,
    })
    expect(await ask({ ...SILENT, zdr: false })).toBe('other_routing')
    // As much as it would hold: nothing is told of the balance, and nothing held.
    expect((await ledger.getBalance({ credential }))?.heldNano).toBe(0n)
    expect([await ask(SILENT), await ask(null, credential)]).toEqual(['held', 'held'])
    expect(await ask(SILENT, credential)).toBe('other_routing')

    const strict = { ...SILENT, maxPrice: { completion: '2' } }
    expect(await ledger.updateKey({ accountId, keyId, label: 'x' })).toMatchObject({ routing: SILENT })
    expect(await ledger.updateKey({ accountId, keyId, routing: strict })).toMatchObject({ routing: strict })
    expect([await ask(SILENT), await ask(strict)]).toEqual(['other_routing', 'held'])
    const bounded = { ...SILENT, maxChargeUsd: '0.02', models: ['b/two', 'a/one'] }
    expect(await ledger.updateKey({ accountId, keyId, routing: bounded })).toMatchObject({
      routing: bounded,
    })
    expect([await ask({ ...bounded, models: ['a/one'] }), await ask(bounded)]).toEqual([
      'other_routing',
      'held',
    ])
    await ledger.updateKey({ accountId, keyId, routing: strict })
    expect(await ledger.updateKey({ accountId, keyId, routing: null })).toMatchObject({ routing: null })
    expect([await ask(strict), await ask(null)]).toEqual(['other_routing', 'held'])
  })

  test('a key lives from creation to revocation, with its limit, its times and its nothings intact', async () => {
    const ledger = getLedger()
    const account = await createFundedAccount(ledger, 1_000n)
    const owner = { accountId: account.accountId }
    const { keyId, credential: key } = await createTestKey(ledger, { ...owner, usageLimitNano: 40n })
    expect(await ledger.hold(holdInput(key, 41n))).toMatchObject({ outcome: 'key_limit_reached' })
    const changed = await ledger.updateKey({ ...owner, keyId, usageLimitNano: null, expiresAt: FUTURE })
    expect(changed).toMatchObject({ usageLimitNano: null, expiresAt: FUTURE, label: 'test' })
    const holdId = await openHold(ledger, key, 100n)
    await ledger.settle({ holdId, costNano: 60n, usage: USAGE })
    expect(await ledger.getKey({ ...owner, keyId })).toEqual({ ...changed, usageNano: 60n })
    const revoked = await ledger.revokeKey({ ...owner, keyId })
    expect(revoked?.revokedAt).toEqual(expect.any(Date))
    expect(await ledger.listKeys(owner)).toEqual([revoked])
    expect(await ledger.getBalance({ credential: key })).toBeNull()
  })
}
