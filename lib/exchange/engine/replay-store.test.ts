import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import { createDatabaseReplayStore, type ReplayStore } from './replay-store'

const ANSWER_BYTES = 1_000

async function keep(store: ReplayStore, accountId: string, ttlSeconds: number): Promise<string> {
  const exchangeId = randomUUID()
  const sealed = Buffer.alloc(ANSWER_BYTES)
  await store.put({ exchangeId, accountId, resumeName: null, sealed, ttlSeconds })
  return exchangeId
}

describeOnPostgres('stored answers', getDatabase => {
  test('beyond the disk limit are deleted, starting with the oldest of the largest accounts', async () => {
    const bounds = { database: getDatabase(), keptBytesMax: 4 * ANSWER_BYTES, lookBytes: ANSWER_BYTES }
    // Of two processes: each counts what all of them keep.
    const [first, second] = [createDatabaseReplayStore(bounds), createDatabaseReplayStore(bounds)]
    const [busy, other] = [randomUUID(), randomUUID()]
    const answers: string[] = []
    for (const accountId of [other, ...Array.from({ length: 8 }, () => busy), other]) {
      const store = answers.length % 2 === 0 ? first : second
      answers.push(await keep(store, accountId, 600 + answers.length))
    }
    const kept = await Promise.all(answers.map(name => first.find(name)))
    expect(answers.filter((_, index) => kept[index])).toEqual([
      answers[0],
      answers[7],
      answers[8],
      answers[9],
    ])
  })

  const rows = async () => {
    const { count } = getDatabase().kysely.fn
    const query = getDatabase().kysely.selectFrom('replay').select(count<number>('exchange_id').as('count'))
    return Number((await query.executeTakeFirst())?.count)
  }

  test('are found until they expire, and only those that have are swept, a few at a time', async () => {
    const store = createDatabaseReplayStore({ database: getDatabase() })
    const before = await rows()
    const fresh = await keep(store, randomUUID(), 600)
    const expired = [await keep(store, randomUUID(), 0), await keep(store, randomUUID(), 0)]
    expect(await Promise.all(expired.map(name => store.find(name)))).toEqual([null, null])
    const counts = []
    for (const _ of [1, 2, 3]) {
      await store.sweep({ rowCountMax: 1 })
      counts.push((await rows()) - before)
    }
    expect(counts).toEqual([2, 1, 1])
    expect(await store.find(fresh)).toMatchObject({ exchangeId: fresh })
  })

  test('are not overwritten by a later one of the same exchange', async () => {
    const store = createDatabaseReplayStore({ database: getDatabase() })
    const answer = { exchangeId: randomUUID(), accountId: randomUUID(), resumeName: null, ttlSeconds: 600 }
    for (const text of ['first', 'second']) await store.put({ ...answer, sealed: Buffer.from(text) })
    const kept = await store.find(answer.exchangeId)
    expect(Buffer.from(kept?.sealed ?? []).toString()).toBe('first')
  })
})
