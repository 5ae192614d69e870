import { describe, expect, jest, test } from '@jest/globals'
import { LedgerError } from '../domain/ledger-error'
import { Batcher } from './batcher'

/** A batcher whose batches are answered on the test’s command. */
function controlled({ laneCountMax = 3, patienceMs = 60_000 } = {}) {
  const batches: {
    items: readonly number[]
    answer(results?: readonly string[]): void
    fail(error: Error): void
  }[] = []
  const batcher = new Batcher<number, string>({
    laneCountMax,
    patienceMs,
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

/** Waits for one turn of the event loop, including all settled promises. */
const flush = () => new Promise(resolve => setImmediate(resolve))
const numbers = (count: number) => Array.from({ length: count }, (_, item) => item)

describe('a batcher', () => {
  test('sends the calls of one turn as one batch, and gives each call its own result', async () => {
    const { batcher, sent, at } = controlled()
    const results = [1, 2, 3].map(item => batcher.run(item))
    expect(sent()).toEqual([])
    await flush()
    expect(sent()).toEqual([[1, 2, 3]])
    at(0).answer()
    expect(await Promise.all(results)).toEqual(['1', '2', '3'])
  })

  test('sends the calls that arrive during a batch as the next batch', async () => {
    const { batcher, sent, at } = controlled()
    const results = [batcher.run(1)]
    await flush()
    results.push(batcher.run(2))
    await flush()
    results.push(batcher.run(3))
    await flush()
    expect(sent()).toEqual([[1]])
    at(0).answer()
    await flush()
    expect(sent()).toEqual([[1], [2, 3]])
    at(1).answer()
    expect(await Promise.all(results)).toEqual(['1', '2', '3'])
  })

  test('hands out the results of a batch once the next one has left, which takes a pool one turn', async () => {
    const events: string[] = []
    const ask = async (items: readonly number[]) => {
      await flush()
      events.push(`sent ${items}`)
      return items.map(String)
    }
    const batcher = new Batcher<number, string>({ laneCountMax: 1, patienceMs: 60_000, ask })
    const results = numbers(40).map(item => batcher.run(item).then(result => events.push(result)))
    await Promise.all(results)
    const [first, second] = [numbers(40).slice(0, 32), numbers(40).slice(32)]
    expect(events).toEqual([`sent ${first}`, `sent ${second}`, ...first.map(String), ...second.map(String)])
  })

  test('sends later calls in parallel to a slow batch, up to the number of lanes', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] })
    const { batcher, sent, at } = controlled({ laneCountMax: 3, patienceMs: 5 })
    const results: Promise<string>[] = []
    for (const item of [1, 2, 3, 4]) {
      results.push(batcher.run(item))
      await flush()
      jest.advanceTimersByTime(5)
    }
    expect(sent()).toEqual([[1], [2], [3]])
    at(1).answer()
    await flush()
    expect(sent()).toEqual([[1], [2], [3], [4]])
    for (const index of [0, 2, 3]) at(index).answer()
    expect(await Promise.all(results)).toEqual(['1', '2', '3', '4'])
    jest.useRealTimers()
  })

  test('opens a lane for no call that has only followed one that waited', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] })
    const { batcher, sent, at } = controlled({ patienceMs: 5 })
    const results: Promise<string>[] = []
    const callAndWait = async (...items: number[]) => {
      results.push(...items.map(item => batcher.run(item)))
      await flush()
      jest.advanceTimersByTime(3)
    }
    await callAndWait(1, 2)
    await callAndWait(3, 4)
    expect(sent()).toEqual([[1, 2]])
    at(0).answer()
    await flush()
    await callAndWait(5)
    expect(sent()).toEqual([
      [1, 2],
      [3, 4],
    ])
    jest.advanceTimersByTime(2)
    expect(sent().at(-1)).toEqual([5])
    for (const index of [1, 2]) at(index).answer()
    expect(await Promise.all(results)).toEqual(['1', '2', '3', '4', '5'])
    jest.useRealTimers()
  })

  test('opens a lane for each full batch, and never exceeds the batch size', async () => {
    const { batcher, sent, at } = controlled({ laneCountMax: 3 })
    const results = numbers(96).map(item => batcher.run(item))
    await flush()
    expect(sent().map(items => items.length)).toEqual([32, 32, 32])
    for (const index of [0, 1, 2]) at(index).answer()
    expect(await Promise.all(results)).toEqual(numbers(96).map(String))
  })

  test('repeats the calls of a failed batch one by one, so that only the faulty call fails', async () => {
    const batcher = new Batcher<number, string>({
      laneCountMax: 1,
      patienceMs: 60_000,
      ask: async items => {
        if (items.includes(2)) throw new Error('not two')
        return items.map(String)
      },
    })
    const results = await Promise.allSettled([1, 2, 3].map(item => batcher.run(item)))
    expect(results.map(result => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })

  test.each([
    Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }),
    // Repeated one by one, each call would wait for its own connection.
    new LedgerError('unavailable', 'away', { cause: new Error('timeout exceeded when trying to connect') }),
  ])('fails all calls of a batch in an outage, without repeating them one by one: %s', async error => {
    const { batcher, sent, at } = controlled()
    const results = [1, 2, 3].map(item => batcher.run(item))
    const settled = Promise.allSettled(results)
    await flush()
    at(0).fail(error)
    expect((await settled).map(result => result.status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(sent()).toHaveLength(1)
  })

  test('fails a call whose answer is no list, and serves the next', async () => {
    const { batcher, at } = controlled()
    const result = batcher.run(1)
    await flush()
    at(0).answer(JSON.parse('null'))
    await expect(result).rejects.toThrow(TypeError)
    const next = batcher.run(2)
    await flush()
    at(1).answer()
    expect(await next).toBe('2')
  })

  test('fails a call that a batch left unanswered', async () => {
    const { batcher, at } = controlled()
    const result = batcher.run(1)
    await flush()
    at(0).answer([])
    await expect(result).rejects.toThrow('incompletely')
  })
})
