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

  test('an unknown credential has no balance', async () => {
    const secretHash = hashOf(randomUUID())
    expect(await ledger.getBalance({ credential: { kind: 'credit_id', secretHash } })).toBeNull()
    expect(await ledger.getBalance({ credential: { kind: 'api_key', secretHash } })).toBeNull()
  })

  test('a secret in place of its hash, and no time to pay, are refused before they reach the database', async () => {
    const credential = { kind: 'credit_id', secretHash: randomUUID() } as const
    await expect(ledger.getBalance({ credential })).rejects.toMatchObject({ code: 'invalid_input' })
    const creditIdHash = randomUUID()
    await expect(
      ledger.createAccount({ creditIdHash, firstKey: null, attribution: null }),
    ).rejects.toMatchObject({ code: 'invalid_input' })
    const firstKey = { secretHash: randomUUID(), hint: 'abcd' }
    await expect(
      ledger.createAccount({ creditIdHash: null, firstKey, attribution: null }),
    ).rejects.toMatchObject({ code: 'invalid_input' })
    const unpaid = { creditIdHash: hashOf(creditIdHash), removeUnpaidAfterSeconds: 0 }
    await expect(
      ledger.createAccount({ ...unpaid, firstKey: null, attribution: null }),
    ).rejects.toMatchObject({ code: 'invalid_input' })
  })

  test('a new account has a zero balance and stores its visitor’s attribution', async () => {
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

  test('the first key of a new account works at once', async () => {
    const key = { secretHash: hashOf(randomUUID()), hint: 'abcd' }
    const { accountId, firstKeyId } = await ledger.createAccount({
      creditIdHash: hashOf(randomUUID()),
      firstKey: key,
      attribution: null,
    })
    expect(
      await ledger.getBalance({ credential: { kind: 'api_key', secretHash: key.secretHash } }),
    ).toMatchObject({ accountId, keyId: firstKeyId })
    // The label is empty, since a default name would be in one language only.
    expect(await ledger.listKeys({ accountId })).toMatchObject([
      { keyId: firstKeyId, hint: 'abcd', label: '' },
    ])
  })

  test('repeated creation with the same secrets, even in parallel, returns the same account', async () => {
    const input = {
      creditIdHash: hashOf(randomUUID()),
      firstKey: { secretHash: hashOf(randomUUID()), hint: 'abcd' },
      attribution: null,
    }
    const created = await Promise.all(Array.from({ length: 10 }, () => ledger.createAccount(input)))
    expect(new Set(created.map(account => account.accountId)).size).toBe(1)
    expect(new Set(created.map(account => account.firstKeyId)).size).toBe(1)
  })

  test('repeated creation names the key of the repetition, and no other key of the account', async () => {
    const input = { creditIdHash: hashOf(randomUUID()), attribution: null }
    const firstKey = { secretHash: hashOf(randomUUID()), hint: 'abcd' }
    const created = await ledger.createAccount({ ...input, firstKey })
    await createTestKey(ledger, created)
    expect(await ledger.createAccount({ ...input, firstKey })).toEqual(created)
    expect(await ledger.createAccount({ ...input, firstKey: null })).toEqual({ ...created, firstKeyId: null })
  })

  test('parallel repetitions with a key that alone holds an account create one', async () => {
    const firstKey = { secretHash: hashOf(randomUUID()), hint: 'abcd' }
    const input = { creditIdHash: null, firstKey, attribution: null }
    const created = await Promise.all(Array.from({ length: 8 }, () => ledger.createAccount(input)))
    expect(new Set(created.map(account => account.accountId)).size).toBe(1)
  })

  test('an account with only an API key is created once, and never from another account’s key', async () => {
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

  test('every credential of an account reads the same balance', async () => {
    const { accountId, credential } = await createFundedAccount(ledger, 70n)
    const key = await createTestKey(ledger, { accountId })
    const balance = { accountId, balanceNano: 70n, heldNano: 0n, availableNano: 70n, debtNano: 0n }
    expect(await ledger.getBalance({ credential })).toEqual({ ...balance, keyId: null })
    expect(await ledger.getBalance(key)).toEqual({ ...balance, keyId: key.keyId })
  })
})
