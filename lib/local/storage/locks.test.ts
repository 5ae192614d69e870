/** @jest-environment jsdom */
import { afterEach, expect, test } from '@jest/globals'
import { withLock } from './locks'

function setLocks(locks: unknown): void {
  Object.defineProperty(navigator, 'locks', { value: locks, configurable: true })
}

afterEach(() => setLocks(undefined))

test('a browser that refuses locks, as it does without storage, still runs the task', async () => {
  setLocks({
    request: async () => Promise.reject(new DOMException('The request was denied.', 'SecurityError')),
  })
  expect(await withLock('any', async () => 'done')).toBe('done')
})

test('what the task throws is thrown, and it does not run a second time', async () => {
  setLocks({ request: async (_: string, run: () => Promise<unknown>) => run() })
  let runCount = 0
  const failing = withLock('any', async () => {
    runCount += 1
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(runCount).toBe(1)
})
