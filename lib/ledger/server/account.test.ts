import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import type { Ledger } from '../domain/ledger'
import { createFundedAccount, createTestKey, hashOf } from '../testing'
import { createEmbeddedLedger } from './embedded-ledger'

describeOnPostgres('accounts', getDatabase => {
  let ledger: Ledger
  beforeAll(() => {
    ledger = createEmbeddedLedger({ database: getDatabase() })
  })

  test('a credential that nobody has gives no balance', async () => {
    const secretHash = hashOf(randomUUID())
    expect(await ledger.getBalance({ credential: { kind: 'credit_id', secretHash } })).toBeNull()
    expect(await ledger.getBalance({ credential: { kind: 'api_key', secretHash } })).toBeNull()
  })

  test('a secret in place of its hash is refused before it reaches the database', async () => {
    const credential = { kind: 'credit_id', secretHash: randomUUID() } as const
    await expect(ledger.getBalance({ credential })).rejects.toMatchObject({ code: 'invalid_input' })
    const creditIdHash = randomUUID()
    await expect(
      ledger.createAccount({ creditIdHash, firstKey: null, attribution: null }),
    ).rejects.toMatchObject({ code: 'invalid_input' })
  })

  test('a new account has nothing, and keeps where its visitor came from', async () => {
    const creditIdHash = hashOf(randomUUID())
    const created = await ledger.createAccount({
      creditIdHash,
      firstKey: null,
      attribution: { utm_source: 'newsletter' },
    })
    expect(created).toEqual({ accountId: expect.any(String), firstKeyId: null })
    expect(await ledger.getBalance({ credential: { kind: 'credit_id', secretHash: creditIdHash } })).toEqual({
      accountId: created.accountId,
      keyId: null,
      balanceNano: 0n,
      heldNano: 0n,
      availableNano: 0n,
      debtNano: 0n,
    })
    const row = await getDatabase()
      .kysely.selectFrom('account')
      .where('id', '=', created.accountId)
      .select('attribution')
      .executeTakeFirst()
    expect(row).toEqual({ attribution: { utm_source: 'newsletter' } })
  })

  test('its first key works at once', async () => {
    const key = { secretHash: hashOf(randomUUID()), hint: 'abcd' }
    const { accountId, firstKeyId } = await ledger.createAccount({
      creditIdHash: hashOf(randomUUID()),
      firstKey: key,
      attribution: null,
    })
    expect(
      await ledger.getBalance({ credential: { kind: 'api_key', secretHash: key.secretHash } }),
    ).toMatchObject({ accountId, keyId: firstKeyId })
    // A name would be in one language, whatever its reader's.
    expect(await ledger.listKeys({ accountId })).toMatchObject([
      { keyId: firstKeyId, hint: 'abcd', label: '' },
    ])
  })

  test('created again, even in parallel, with the same secrets, it is the same account', async () => {
    const input = {
      creditIdHash: hashOf(randomUUID()),
      firstKey: { secretHash: hashOf(randomUUID()), hint: 'abcd' },
      attribution: null,
    }
    const created = await Promise.all(Array.from({ length: 10 }, () => ledger.createAccount(input)))
    expect(new Set(created.map(account => account.accountId)).size).toBe(1)
    expect(new Set(created.map(account => account.firstKeyId)).size).toBe(1)
  })

  test('an account that a key alone holds is made once, and never out of another account’s key', async () => {
    const firstKey = { secretHash: hashOf(randomUUID()), hint: 'abcd' }
    const input = { creditIdHash: null, firstKey, attribution: null }
    const created = await ledger.createAccount(input)
    expect(await ledger.createAccount(input)).toEqual(created)
    const credential = { kind: 'api_key', secretHash: firstKey.secretHash } as const
    expect(await ledger.getBalance({ credential })).toMatchObject({ accountId: created.accountId })

    const owner = await createFundedAccount(ledger, 70n)
    const { credential: owned } = await createTestKey(ledger, { accountId: owner.accountId })
    await expect(
      ledger.createAccount({ ...input, firstKey: { secretHash: owned.secretHash, hint: 'abcd' } }),
    ).rejects.toMatchObject({ code: 'invalid_input' })
    await expect(ledger.createAccount({ ...input, firstKey: null })).rejects.toMatchObject({
      code: 'invalid_input',
    })
  })

  test('a balance is one number, whichever credential asks for it', async () => {
    const { accountId, credential } = await createFundedAccount(ledger, 70n)
    const key = await createTestKey(ledger, { accountId })
    const balance = { accountId, balanceNano: 70n, heldNano: 0n, availableNano: 70n, debtNano: 0n }
    expect(await ledger.getBalance({ credential })).toEqual({ ...balance, keyId: null })
    expect(await ledger.getBalance(key)).toEqual({ ...balance, keyId: key.keyId })
  })
})
