import type { IncomingMessage, ServerResponse } from 'node:http'
import { performance } from 'node:perf_hooks'
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { pageTurns } from './page-turns'

const begun: string[] = []
const running = new Map<string, () => void>()
const ask = pageTurns(
  ({ url = '' }) => {
    begun.push(url)
    return new Promise<void>(resolve => running.set(url, resolve))
  },
  ({ url = '' }) => url.charAt(1),
)

beforeEach(() => {
  begun.length = 0
  jest.useFakeTimers({ doNotFake: ['performance'] })
})

afterEach(() => {
  jest.useRealTimers()
})

test('four pages are rendered at once, and clients take turns', async () => {
  const gone = { destroyed: false }
  for (const path of ['/a1', '/a2', '/a3', '/a4', '/a5', '/a6', '/a7', '/b1', '/b2']) {
    ask({ url: path } as IncomingMessage, (path === '/a6' ? gone : { destroyed: false }) as ServerResponse)
  }
  expect(begun).toEqual(['/a1', '/a2', '/a3', '/a4'])
  gone.destroyed = true
  await end('/a2')
  expect(begun.slice(4)).toEqual(['/a5'])
  await end('/a1')
  expect(begun.slice(5)).toEqual(['/b1'])
  await end('/a3')
  expect(begun.slice(6)).toEqual(['/b2'])
  await end('/b1')
  expect(begun.slice(7)).toEqual(['/a7'])
  for (const path of ['/a4', '/a5', '/a7', '/b2']) await end(path)
})

test.each([
  ['its reader', { isReaderSlow: true, utilization: 1 }],
  ['another server, while there is nothing else to do', { isReaderSlow: false, utilization: 0.1 }],
])('a page that only waits for %s has no turn any more', async (_what, { isReaderSlow, utilization }) => {
  const loop = { utilization: 1, idle: 0, active: 0 }
  jest.spyOn(performance, 'eventLoopUtilization').mockImplementation(() => loop)
  const response = { destroyed: false, writableNeedDrain: false }
  for (const path of ['/a1', '/a2', '/a3', '/a4', '/b1']) {
    ask({ url: path } as IncomingMessage, response as ServerResponse)
  }
  await jest.advanceTimersByTimeAsync(300)
  expect(begun).toHaveLength(4)
  response.writableNeedDrain = isReaderSlow
  loop.utilization = utilization
  await jest.advanceTimersByTimeAsync(300)
  expect(begun).toHaveLength(5)
  for (const path of begun) await end(path)
})

async function end(path: string): Promise<void> {
  running.get(path)?.()
  await jest.advanceTimersByTimeAsync(0)
}
