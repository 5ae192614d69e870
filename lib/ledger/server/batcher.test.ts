import { describe, expect, test } from '@jest/globals'
import { Batcher } from './batcher'

/** A batcher whose batches are answered when the test says so. */
function controlled(laneCount: number, turnCount = 0) {
  const batches: {
    items: readonly number[]
    answer(results?: readonly string[]): void
    fail(error: Error): void
  }[] = []
  const batcher = new Batcher<number, string>({
    laneCount,
    turnCount,
    ask: items =>
      new Promise((resolve, reject) => {
        batches.push({ items, answer: (results = items.map(String)) => resolve(results), fail: reject })
      }),
  })
  const sent = () => batches.map(batch => batch.items)
  const at = (index: number) => {
    const batch = batches[index]
    if (!batch) throw new Error(`There is no batch ${index}.`)
    return batch
  }
  return { batcher, sent, at }
}

/** Lets a turn of the event loop pass, with every promise that is ready. */
const flush = () => new Promise(resolve => setImmediate(resolve))

describe('a batcher', () => {
  test('sends a call alone at once where it is to wait for no turn', async () => {
    const { batcher, sent, at } = controlled(1)
    const result = batcher.run(1)
    expect(sent()).toEqual([[1]])
    at(0).answer()
    expect(await result).toBe('1')
  })

  test('sends together what came while its lanes were busy, each answered with its own', async () => {
    const { batcher, sent, at } = controlled(2)
    const results = [1, 2, 3, 4, 5].map(item => batcher.run(item))
    expect(sent()).toEqual([[1], [2]])
    at(1).answer()
    await flush()
    expect(sent()).toEqual([[1], [2], [3, 4, 5]])
    at(0).answer()
    at(2).answer()
    expect(await Promise.all(results)).toEqual(['1', '2', '3', '4', '5'])
  })

  test('waits as many turns as it is given, and sends together what came in them', async () => {
    const { batcher, sent, at } = controlled(3, 2)
    const results = [batcher.run(1), batcher.run(2)]
    await flush()
    results.push(batcher.run(3))
    expect(sent()).toEqual([])
    await flush()
    expect(sent()).toEqual([[1, 2, 3]])
    at(0).answer()
    expect(await Promise.all(results)).toEqual(['1', '2', '3'])
  })

  test('sends no more at once than a batch may hold', async () => {
    const { batcher, sent, at } = controlled(1)
    const results = Array.from({ length: 40 }, (_, item) => batcher.run(item))
    at(0).answer()
    await flush()
    expect(sent().map(items => items.length)).toEqual([1, 32])
    at(1).answer()
    await flush()
    expect(sent().map(items => items.length)).toEqual([1, 32, 7])
    at(2).answer()
    await Promise.all(results)
  })

  test('asks one by one where a batch failed, so that only the faulty call fails', async () => {
    const batcher = new Batcher<number, string>({
      laneCount: 1,
      turnCount: 0,
      ask: async items => {
        if (items.includes(2)) throw new Error('not two')
        return items.map(String)
      },
    })
    const results = await Promise.allSettled([1, 2, 3].map(item => batcher.run(item)))
    expect(results.map(result => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })

  test('fails all calls of a batch in an outage, without asking each again', async () => {
    const { batcher, sent, at } = controlled(1)
    const results = [1, 2, 3].map(item => batcher.run(item))
    const settled = Promise.allSettled(results)
    at(0).answer()
    await flush()
    at(1).fail(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }))
    expect((await settled).map(result => result.status)).toEqual(['fulfilled', 'rejected', 'rejected'])
    expect(sent()).toHaveLength(2)
  })

  test('fails a call that a batch left unanswered', async () => {
    const { batcher, at } = controlled(1)
    const result = batcher.run(1)
    at(0).answer([])
    await expect(result).rejects.toThrow('incompletely')
  })
})
