import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import { CompiledQuery } from 'kysely'
import { describeOnPostgres } from '@/lib/db/testing'
import type { Ledger } from '../domain/ledger'
import type { ListUsageInput } from '../domain/usage'
import { createFundedAccount, createTestKey, EXCHANGE, openHold, USAGE } from '../testing'
import { createEmbeddedLedger } from './embedded-ledger'

const RECORD_COUNT = 25

describeOnPostgres('usage', getDatabase => {
  let ledger: Ledger
  let accountId: string
  let keyId: string
  /** Oldest first; all created in the same two milliseconds, so that pages split records of equal time. */
  const holdIds: string[] = []

  beforeAll(async () => {
    ledger = createEmbeddedLedger({ database: getDatabase() })
    const account = await createFundedAccount(ledger, 1_000_000n)
    accountId = account.accountId
    const key = await createTestKey(ledger, { accountId })
    keyId = key.keyId
    for (let index = 0; index < RECORD_COUNT; index += 1) {
      const modelId = index % 2 === 0 ? 'test/even' : 'test/odd'
      const credential = index % 5 === 0 ? key.credential : account.credential
      const holdId = await openHold(ledger, credential, 100n, { exchange: { ...EXCHANGE, modelId } })
      if (index % 3 === 0)
        await ledger.release({ holdId, usage: { ...USAGE, status: 'failed', errorCode: 'x' } })
      else await ledger.settle({ holdId, costNano: 10n, usage: USAGE })
      holdIds.push(holdId)
      await getDatabase().kysely.executeQuery(
        CompiledQuery.raw(
          `update hold set created_at = '2026-07-12T10:00:00.00${index < 13 ? 1 : 2}Z' where id = '${holdId}'`,
        ),
      )
    }
    await openHold(ledger, account.credential, 100n)
    const stranger = await createFundedAccount(ledger, 1_000n)
    const foreign = await openHold(ledger, stranger.credential, 100n)
    await ledger.settle({ holdId: foreign, costNano: 10n, usage: USAGE })
  })

  const list = (input: Partial<ListUsageInput> = {}) =>
    ledger.listUsage({
      accountId,
      limit: 100,
      cursor: null,
      from: null,
      to: null,
      modelId: null,
      keyId: null,
      ...input,
    })

  test.each([
    '',
    'x',
    '1.2',
    `-1.${randomUUID()}`,
    `1.${randomUUID()}.2`,
    `${'9'.repeat(16)}.${randomUUID()}`,
  ])('the invalid cursor %j is refused', async cursor => {
    await expect(list({ cursor })).rejects.toMatchObject({ code: 'invalid_input' })
  })

  test.each([0, -1, 1.5, 10_001])('a page of %s records is refused', async limit => {
    await expect(list({ limit })).rejects.toMatchObject({ code: 'invalid_input' })
  })

  test('unknown accounts and keys have no usage', async () => {
    expect(await list({ accountId: 'nobody' })).toEqual({ records: [], nextCursor: null })
    expect(await list({ keyId: 'no key' })).toEqual({ records: [], nextCursor: null })
    expect(await list({ keyId: randomUUID() })).toEqual({ records: [], nextCursor: null })
  })

  test('a record has the exchange’s details, counts, hold and charge', async () => {
    const { records } = await list()
    expect(records.find(record => record.holdId === holdIds[5])).toEqual({
      ...USAGE,
      ...EXCHANGE,
      modelId: 'test/odd',
      holdId: holdIds[5],
      keyId,
      heldNano: 100n,
      chargedNano: 10n,
      createdAt: new Date('2026-07-12T10:00:00.001Z'),
    })
  })

  test('failed calls are listed without a charge; open calls and other accounts’ calls are not listed', async () => {
    const { records, nextCursor } = await list()
    expect(nextCursor).toBeNull()
    expect(records).toHaveLength(RECORD_COUNT)
    expect(new Set(records.map(record => record.holdId))).toEqual(new Set(holdIds))
    expect(records.filter(record => record.status === 'failed' && record.chargedNano === 0n)).toHaveLength(9)
  })

  test.each([1, 4, 24, 25])('pages of %s contain every record once, newest first', async limit => {
    const seen = []
    let cursor: string | null = null
    do {
      const page = await list({ limit, cursor })
      expect(page.records.length).toBeLessThanOrEqual(limit)
      seen.push(...page.records)
      cursor = page.nextCursor
    } while (cursor !== null && seen.length <= RECORD_COUNT)
    expect(seen).toEqual((await list()).records)
    const times = seen.map(record => record.createdAt.getTime())
    expect(times).toEqual([...times].sort((left, right) => right - left))
  })

  test('filters by model, by key and by time, including `from` and excluding `to`', async () => {
    expect((await list({ modelId: 'test/even' })).records).toHaveLength(13)
    expect((await list({ keyId })).records).toHaveLength(5)
    expect((await list({ keyId, modelId: 'test/odd' })).records).toHaveLength(2)
    const boundary = new Date('2026-07-12T10:00:00.002Z')
    expect((await list({ from: boundary })).records).toHaveLength(12)
    expect((await list({ to: boundary })).records).toHaveLength(13)
  })
})
