import type { IncomingMessage, ServerResponse } from 'node:http'
import { performance } from 'node:perf_hooks'
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { pageTurns } from './page-turns'

const begun: string[] = []
const running = new Map<string, () => void>()
const take = pageTurns(
  ({ url = '' }) => {
    begun.push(url)
    return new Promise<void>(resolve => running.set(url, resolve))
  },
  // The client is the first letter of the path.
  ({ url = '' }) => url.charAt(1),
)

/** What the turns look at: of a request, whether it has come whole; of a response, whether it is read, and by whom. */
function ask(url: string, { request = { complete: true }, response = { destroyed: false } } = {}): void {
  take(Object.assign(Object.create(request), { url }) as IncomingMessage, response as ServerResponse)
}

beforeEach(() => {
  begun.length = 0
  jest.useFakeTimers({ doNotFake: ['performance'] })
})

afterEach(() => {
  jest.useRealTimers()
})

test('four pages are rendered at once, and clients take turns', async () => {
  const gone = { destroyed: false }
  for (const url of ['/a1', '/a2', '/a3', '/a4', '/a5']) ask(url)
  ask('/a6', { response: gone })
  for (const url of ['/a7', '/b1', '/b2']) ask(url)
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

interface State {
  isTaken?: boolean
  isReceived?: boolean
  utilization?: number
}

test.each<[string, State]>([
  ['its reader', { isTaken: false }],
  ['the body of its request', { isReceived: false }],
  ['another server, while there is nothing else to do', { utilization: 0.1 }],
])('a page that only waits for %s has no turn any more', async (_what, state) => {
  const { isTaken = true, isReceived = true, utilization = 1 } = state
  const loop = { utilization: 1, idle: 0, active: 0 }
  jest.spyOn(performance, 'eventLoopUtilization').mockImplementation(() => loop)
  const request = { complete: true }
  const response = { destroyed: false, writableNeedDrain: false }
  for (const url of ['/a1', '/a2', '/a3', '/a4', '/b1']) ask(url, { request, response })
  await jest.advanceTimersByTimeAsync(300)
  expect(begun).toHaveLength(4)
  request.complete = isReceived
  response.writableNeedDrain = !isTaken
  loop.utilization = utilization
  await jest.advanceTimersByTimeAsync(300)
  expect(begun).toHaveLength(5)
  for (const path of begun) await end(path)
})

async function end(path: string): Promise<void> {
  running.get(path)?.()
  await jest.advanceTimersByTimeAsync(0)
}
