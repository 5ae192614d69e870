/** @jest-environment jsdom */
import { afterEach, expect, test } from '@jest/globals'
import { heldMarks, holdMark, withLock } from './locks'

function setLocks(locks: unknown): void {
  Object.defineProperty(navigator, 'locks', { value: locks, configurable: true })
}

afterEach(() => setLocks(undefined))

test('a task runs even if the browser refuses locks', async () => {
  setLocks({
    request: async () => Promise.reject(new DOMException('The request was denied.', 'SecurityError')),
  })
  expect(await withLock('any', async () => 'done')).toBe('done')
})

test('an error of the task is rethrown, and the task runs only once', async () => {
  setLocks({ request: async (_: string, run: () => Promise<unknown>) => run() })
  let runCount = 0
  const failing = withLock('any', async () => {
    runCount += 1
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(runCount).toBe(1)
})

test('a mark is visible from when it is held until it is released', async () => {
  const held: { name: string }[] = []
  setLocks({
    request: async (name: string, _: LockOptions, run: () => Promise<void>) => {
      await Promise.resolve()
      const mark = { name }
      held.push(mark)
      await run()
      held.splice(held.indexOf(mark), 1)
    },
    query: async () => ({ held }),
  })
  const mark = holdMark('any-mark-7')
  await mark.held
  expect([await heldMarks('any-mark-'), await heldMarks('another-')]).toEqual([['7'], []])
  mark.release()
  await Promise.resolve().then(() => undefined)
  expect(await heldMarks('any-mark-')).toEqual([])
})
