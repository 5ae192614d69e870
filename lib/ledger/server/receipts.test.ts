import { beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose'
import { sql } from 'kysely'
import { describeOnPostgres } from '@/lib/db/testing'
import { readSigned } from '@/scripts/verify-receipt'
import type { Ledger } from '../domain/ledger'
import { openReceipt } from '../domain/receipts'
import type { UsageDetail } from '../domain/usage'
import { createFundedAccount, EXCHANGE, holdInput, openHold, USAGE } from '../testing'
import { createBooks } from './books'
import { createEmbeddedLedger } from './embedded-ledger'

const SITE = 'https://site.test'

describeOnPostgres('receipts', getDatabase => {
  let ledger: Ledger
  let account: Awaited<ReturnType<typeof createFundedAccount>>
  beforeAll(async () => {
    ledger = createEmbeddedLedger({ database: getDatabase() })
    account = await createFundedAccount(ledger, 10_000_000n)
  })

  async function settledCall(part: Partial<UsageDetail> = {}, exchange = EXCHANGE): Promise<string> {
    const holdId = await openHold(
      ledger,
      account.credential,
      100n,
      holdInput(account.credential, 100n, { exchange }),
    )
    await ledger.settle({ holdId, costNano: 25n, usage: { ...USAGE, ...part } })
    return holdId
  }
  async function sign(holdId: string, by = ledger): Promise<string> {
    const signed = await by.signReceipt({ accountId: account.accountId, keyId: null, holdId, iss: SITE })
    if (!signed) throw new Error('There is no receipt.')
    return signed.jws
  }
  const keys = async (): Promise<JSONWebKeySet> => ({ keys: [...(await ledger.listReceiptKeys())] })

  test('of processes that start in parallel are signed with the same key', async () => {
    const holdId = await settledCall()
    const processes = Array.from({ length: 8 }, () => createEmbeddedLedger({ database: getDatabase() }))
    const receipts = await Promise.all(processes.map(each => sign(holdId, each)))
    expect(new Set(receipts).size).toBe(1)
    expect((await keys()).keys).toHaveLength(1)
  })

  test('contain all that is stored about a call, verify with standard tools, and fail if altered', async () => {
    const jwks = await keys()
    const detail = fc.record({
      inputTokenCount: fc.nat(),
      outputTokenCount: fc.nat(),
      status: fc.constantFrom('completed' as const, 'stopped' as const),
      otherCounts: fc.record({ image: fc.integer({ min: 1, max: 9 }), web_search: fc.constant(1) }),
    })
    const prices = fc.dictionary(fc.string({ maxLength: 12 }).filter(isStorable), fc.constant('0.0000021'))
    await fc.assert(
      fc.asyncProperty(detail, prices, fc.nat(), fc.nat(63), async (usage, priceSnapshot, place, bits) => {
        const holdId = await settledCall(usage, { ...EXCHANGE, priceSnapshot })
        const jws = await sign(holdId)
        await compactVerify(jws, createLocalJWKSet(jwks), { algorithms: ['EdDSA'] })
        const receipt = readSigned(jws, jwks, SITE)
        expect(receipt).toEqual(openReceipt(jws))
        expect(receipt).toMatchObject({
          iss: SITE,
          id: holdId,
          status: usage.status,
          counts: { input: usage.inputTokenCount, output: usage.outputTokenCount, ...usage.otherCounts },
          prices: priceSnapshot,
          held_usd: '0.0000001',
          charged_usd: '0.000000025',
        })
        const characters = [...jws]
        const at = place % characters.length
        characters[at] = ALPHABET[(ALPHABET.indexOf(characters[at] ?? '') + 1 + bits) % ALPHABET.length] ?? ''
        const altered = characters.join('')
        if (altered !== jws) expect(() => readSigned(altered, jwks, SITE)).toThrow()
        expect(() => readSigned(jws, jwks, 'https://other.test')).toThrow('is from https://site.test')
      }),
      { numRuns: 25 },
    )
  })

  test('do not contain the account’s id', async () => {
    const jws = await sign(await settledCall())
    expect(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString()).not.toContain(account.accountId)
  })

  test('signed with an earlier key can still be verified after the key was replaced or configured', async () => {
    const holdId = await settledCall()
    const before = await sign(holdId)
    await createBooks({ database: getDatabase() }).replaceReceiptKey()
    const after = await sign(holdId)
    const given = createEmbeddedLedger({ database: getDatabase(), receiptKey: Buffer.alloc(32, 7) })
    const own = await sign(holdId, given)
    const jwks = await keys()
    const kids = [before, after, own].map(jws => JSON.parse(atob(jws.split('.')[0] ?? '')).kid)
    expect(new Set(kids).size).toBe(3)
    expect(jwks.keys.map(({ kid }) => kid)).toEqual(kids.toReversed())
    for (const jws of [before, after, own]) expect(readSigned(jws, jwks, SITE).id).toBe(holdId)
    const kept = await getDatabase().kysely.selectFrom('receipt_key').selectAll().execute()
    expect(kept.filter(row => row.private_key !== null)).toHaveLength(1)
    // The published key set contains no private keys.
    expect(JSON.stringify(jwks)).not.toMatch(/"d":/)
    await sql`
      insert into receipt_key (kid, public_key, created_at)
      select 'old ' || n, 'old ' || n, now() - interval '1 day' from generate_series(1, 1000) n`.execute(
      getDatabase().kysely,
    )
    const published = (await keys()).keys
    expect(published).toHaveLength(1_000)
    expect(published.slice(0, 3)).toEqual(jwks.keys)
  })

  test('are signed with a key that is published before the first of them', async () => {
    await getDatabase().kysely.deleteFrom('receipt_key').execute()
    const [key] = (await keys()).keys
    const header = (await sign(await settledCall())).split('.')[0] ?? ''
    expect(JSON.parse(atob(header)).kid).toBe(key?.kid)
  })
})

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed() && text !== '__proto__'
}
