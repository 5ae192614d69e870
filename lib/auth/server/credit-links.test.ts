import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { sql } from 'kysely'
import { describeOnPostgres } from '@/lib/db/testing'
import { type AccountLinkTables, createCreditLinks } from './credit-links'
import { openCreditId, sealCreditId } from './seal-credit-id'

const OLD_KEY = 'an old secret of at least 32 characters'
const KEY = 'the secret of this test, 32 characters'

describeOnPostgres('a linked credit', getDatabase => {
  const tables = () => getDatabase().kysely.withTables<AccountLinkTables>()
  const links = (keys = [KEY]) => createCreditLinks({ database: tables(), keys })

  test('is not found before it is linked', async () => {
    expect(await links().find(randomUUID())).toEqual({ outcome: 'none' })
    expect(await links().unlink({ userId: randomUUID() })).toEqual({ outcome: 'none' })
  })

  test('is found by its owner only', async () => {
    const [userId, creditId] = [randomUUID(), randomUUID()]
    expect(await links().link({ userId, creditId, replaces: null })).toEqual({ outcome: 'linked' })
    expect(await links().find(userId)).toEqual({ outcome: 'found', creditId })
    expect(await links().find(randomUUID())).toEqual({ outcome: 'none' })
  })

  test('is stored neither in plain text nor as the ledger’s hash', async () => {
    const [userId, creditId] = [randomUUID(), randomUUID()]
    await links().link({ userId, creditId, replaces: null })
    const { rows } = await sql<{ dump: string }>`select account_link::text as dump from account_link`.execute(
      tables(),
    )
    const dump = rows.map(row => row.dump).join('\n')
    expect(dump).toContain(userId)
    expect(dump).not.toContain(creditId)
    expect(dump).not.toContain(creditId.replaceAll('-', ''))
    expect(dump).not.toMatch(/[0-9a-f]{64}/)
  })

  test('cannot be decrypted in a row copied to another user', async () => {
    const [userId, thief] = [randomUUID(), randomUUID()]
    await links().link({ userId, creditId: randomUUID(), replaces: null })
    await sql`insert into account_link (user_id, sealed_credit_id)
      select ${thief}, sealed_credit_id from account_link where user_id = ${userId}`.execute(tables())
    expect(await links().find(thief)).toEqual({ outcome: 'unreadable' })
  })

  test('is only replaced by a request that names it', async () => {
    const [userId, first, second] = [randomUUID(), randomUUID(), randomUUID()]
    await links().link({ userId, creditId: first, replaces: null })
    expect(await links().link({ userId, creditId: second, replaces: null })).toEqual({ outcome: 'conflict' })
    expect(await links().link({ userId, creditId: second, replaces: randomUUID() })).toEqual({
      outcome: 'conflict',
    })
    expect(await links().find(userId)).toEqual({ outcome: 'found', creditId: first })
    expect(await links().link({ userId, creditId: second, replaces: first })).toEqual({ outcome: 'linked' })
    expect(await links().find(userId)).toEqual({ outcome: 'found', creditId: second })
  })

  test('linked several times in parallel is linked once', async () => {
    const [userId, creditId] = [randomUUID(), randomUUID()]
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, () => links().link({ userId, creditId, replaces: null })),
    )
    expect(outcomes).toEqual(Array(8).fill({ outcome: 'linked' }))
  })

  test('is one of several linked in parallel, and the others get a conflict', async () => {
    const userId = randomUUID()
    const creditIds = Array.from({ length: 8 }, () => randomUUID())
    const outcomes = await Promise.all(
      creditIds.map(creditId => links().link({ userId, creditId, replaces: null })),
    )
    expect(outcomes.filter(({ outcome }) => outcome === 'linked')).toHaveLength(1)
    const winner = creditIds[outcomes.findIndex(({ outcome }) => outcome === 'linked')]
    expect(await links().find(userId)).toEqual({ outcome: 'found', creditId: winner })
  })

  test('is replaced by only one of several parallel requests', async () => {
    const [userId, first] = [randomUUID(), randomUUID()]
    await links().link({ userId, creditId: first, replaces: null })
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, () => links().link({ userId, creditId: randomUUID(), replaces: first })),
    )
    expect(outcomes.filter(({ outcome }) => outcome === 'linked')).toHaveLength(1)
  })

  test('is not found after unlinking', async () => {
    const [userId, creditId] = [randomUUID(), randomUUID()]
    await links().link({ userId, creditId, replaces: null })
    expect(await links().unlink({ userId })).toEqual({ outcome: 'unlinked' })
    expect(await links().find(userId)).toEqual({ outcome: 'none' })
  })

  test('is unlinked only if it is still the one that the request names', async () => {
    const [userId, first, second] = [randomUUID(), randomUUID(), randomUUID()]
    await links().link({ userId, creditId: first, replaces: null })
    await links().link({ userId, creditId: second, replaces: first })
    for (const creditId of [first, null]) {
      expect(await links().unlink({ userId, creditId })).toEqual({ outcome: 'conflict' })
    }
    expect(await links().find(userId)).toEqual({ outcome: 'found', creditId: second })
    expect(await links().unlink({ userId, creditId: second })).toEqual({ outcome: 'unlinked' })
    expect(await links().unlink({ userId, creditId: second })).toEqual({ outcome: 'none' })
  })

  test('stays linked if it takes the place of one that is unlinked at the same moment', async () => {
    const replaceAndUnlink = async () => {
      const [userId, first, second] = [randomUUID(), randomUUID(), randomUUID()]
      await links().link({ userId, creditId: first, replaces: null })
      const [{ outcome }] = await Promise.all([
        links().link({ userId, creditId: second, replaces: first }),
        // Delayed by one statement, so that one of them writes between the other's reading and writing.
        links()
          .find(userId)
          .then(() => links().unlink({ userId, creditId: first })),
      ])
      return outcome === 'conflict' || (await links().find(userId)).outcome === 'found'
    }
    expect(await Promise.all(Array.from({ length: 32 }, replaceAndUnlink))).toEqual(Array(32).fill(true))
  })

  test('that cannot be opened is unlinked as such', async () => {
    const [userId, creditId] = [randomUUID(), randomUUID()]
    await links([OLD_KEY]).link({ userId, creditId, replaces: null })
    expect(await links().unlink({ userId, creditId })).toEqual({ outcome: 'conflict' })
    expect(await links().unlink({ userId, creditId: null })).toEqual({ outcome: 'unlinked' })
  })

  test('can be read after a key rotation while the old key is configured, and unlinked after that', async () => {
    const [userId, creditId, next] = [randomUUID(), randomUUID(), randomUUID()]
    await links([OLD_KEY]).link({ userId, creditId, replaces: null })
    expect(await links([KEY, OLD_KEY]).find(userId)).toEqual({ outcome: 'found', creditId })
    expect(await links([KEY]).find(userId)).toEqual({ outcome: 'unreadable' })
    expect(await links([KEY]).unlink({ userId })).toEqual({ outcome: 'unlinked' })
    expect(await links([KEY]).link({ userId, creditId: next, replaces: null })).toEqual({ outcome: 'linked' })
    expect(await links([KEY]).find(userId)).toEqual({ outcome: 'found', creditId: next })
  })

  test('is sealed with the first key, so that a server which has not got the next one yet can open it', async () => {
    const [userId, creditId] = [randomUUID(), randomUUID()]
    await links([OLD_KEY, KEY]).link({ userId, creditId, replaces: null })
    expect(await links([OLD_KEY]).find(userId)).toEqual({ outcome: 'found', creditId })
  })

  test('sealed with a newer key is not replaced by a server with only the old key', async () => {
    const [userId, creditId, other] = [randomUUID(), randomUUID(), randomUUID()]
    await links([KEY, OLD_KEY]).link({ userId, creditId, replaces: null })
    for (const replaces of [null, other]) {
      expect(await links([OLD_KEY]).link({ userId, creditId: other, replaces })).toEqual({
        outcome: 'conflict',
      })
    }
    expect(await links([KEY, OLD_KEY]).find(userId)).toEqual({ outcome: 'found', creditId })
  })
})

test('a sealed credit_id cannot be decrypted if any byte was changed', () => {
  const sealed = sealCreditId({ creditId: randomUUID(), userId: 'user-1', keys: [KEY] })
  const bytes = Buffer.from(sealed.slice(3), 'base64url')
  for (let index = 0; index < bytes.length; index += 1) {
    const changed = Buffer.from(bytes)
    changed[index] = (changed[index] ?? 0) ^ 1
    const text = `v1.${changed.toString('base64url')}`
    expect(openCreditId({ sealed: text, userId: 'user-1', keys: [KEY] })).toBeNull()
  }
  for (const text of ['', 'v1', 'v1.', 'v1.AAAA', `v2${sealed.slice(2)}`]) {
    expect(openCreditId({ sealed: text, userId: 'user-1', keys: [KEY] })).toBeNull()
  }
})

test('sealing the same credit_id twice gives different texts', () => {
  const input = { creditId: randomUUID(), userId: 'user-1', keys: [KEY] }
  expect(sealCreditId(input)).not.toBe(sealCreditId(input))
})

test('a credit that an earlier version has sealed can still be opened', () => {
  const sealed = 'v1.AQEBAQEBAQEBAQEB8kLRinv-obWn5p5BrA1uGC4biODjMc9WlRJwq0KrOG1WrDL4uPWKIq9aZ_Bg_mETQrhjZg'
  const keys = ['a key of operators, 32 characters']
  expect(openCreditId({ sealed, userId: 'ada', keys })).toBe('11111111-1111-4111-8111-111111111111')
})
