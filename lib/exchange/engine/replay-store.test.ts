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
})
