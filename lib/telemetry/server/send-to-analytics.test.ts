import { afterEach, expect, jest, test } from '@jest/globals'
import { sendToAnalytics } from './send-to-analytics'

const realFetch = globalThis.fetch
afterEach(() => {
  globalThis.fetch = realFetch
})

const body = {
  visit: 1,
  started_at: 1,
  events: [
    { type: 'page_view' as const, path: '/', count: 1 },
    { type: 'vital' as const, path: '/', name: 'CLS' as const, value: 0 },
  ],
}
const send = (collectUrl?: string) =>
  sendToAnalytics({
    settings: { GA_MEASUREMENT_ID: 'G-TEST', GA_COLLECT_URL: collectUrl },
    siteUrl: 'https://tuppence.test',
    body,
  })

test('a failing service has no effect, and the next event is still sent', async () => {
  const fetchMock = jest.fn<typeof fetch>(async () => {
    throw new TypeError('Failed to fetch')
  })
  globalThis.fetch = fetchMock
  await expect(send()).resolves.toBeUndefined()
  expect(fetchMock).toHaveBeenCalledTimes(2)
})

test('events go to the tag’s endpoint, without following redirects', async () => {
  const fetchMock = jest.fn<typeof fetch>(async () => new Response(null, { status: 204 }))
  globalThis.fetch = fetchMock
  await send()
  const [address, init] = fetchMock.mock.calls[0] ?? []
  expect(String(address)).toMatch(/^https:\/\/www\.google-analytics\.com\/g\/collect\?v=2&tid=G-TEST&/)
  expect(init).toMatchObject({ method: 'POST', redirect: 'error' })
  expect(init?.headers).toBeUndefined()
  await send('http://127.0.0.1:1/collect')
  expect(String(fetchMock.mock.calls[2]?.[0])).toMatch(/^http:\/\/127\.0\.0\.1:1\/collect\?v=2&/)
})

test('while the service hangs, no more than fifty requests wait for it', async () => {
  const pending: (() => void)[] = []
  const fetchMock = jest.fn<typeof fetch>(
    () => new Promise(resolve => pending.push(() => resolve(new Response(null)))),
  )
  globalThis.fetch = fetchMock
  const sends = Array.from({ length: 60 }, () => send())
  expect(fetchMock).toHaveBeenCalledTimes(50)
  while (pending.length > 0) {
    pending.shift()?.()
    await Promise.resolve()
    await new Promise(resolve => setImmediate(resolve))
  }
  await Promise.all(sends)
  globalThis.fetch = jest.fn<typeof fetch>(async () => new Response(null))
  await send()
  expect(globalThis.fetch).toHaveBeenCalledTimes(2)
})
