/** @jest-environment jsdom */
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { watchedFetch } from '@/lib/http/client/watched-fetch'
import { keepEarlyErrors, takeEarlyErrors } from './early-errors'

const realFetch = globalThis.fetch
beforeEach(keepEarlyErrors)
afterEach(() => {
  takeEarlyErrors()
  globalThis.fetch = realFetch
})

const throwOnce = (error: unknown) =>
  window.dispatchEvent(new ErrorEvent('error', { error, message: String(error) }))
const answer = (status: number) => {
  globalThis.fetch = async () => Object.assign(Object.create(null), { status })
}

test('errors, rejections and calls are kept in order, each with its page', async () => {
  const first = new Error('first')
  throwOnce(first)
  window.history.pushState(null, '', '/de/account?x=1')
  window.dispatchEvent(Object.assign(new Event('unhandledrejection'), { reason: 'second' }))
  answer(500)
  await watchedFetch('/keys')
  expect(takeEarlyErrors()).toEqual([
    { kind: 'error', thrown: first, path: '/' },
    { kind: 'error', thrown: 'second', path: '/de/account' },
    {
      kind: 'call',
      outcome: { method: 'GET', path: '/keys', status: 500, failure: null },
      path: '/de/account',
    },
  ])
})

test('no more than a fixed number is kept', () => {
  for (let count = 0; count < 100; count += 1) throwOnce(new Error('again'))
  expect(takeEarlyErrors()).toHaveLength(20)
})

test('nothing is kept after they were taken', async () => {
  takeEarlyErrors()
  // A rejection, because jsdom treats an unhandled error as the test's own.
  window.dispatchEvent(Object.assign(new Event('unhandledrejection'), { reason: 'later' }))
  answer(500)
  await watchedFetch('/keys')
  expect(takeEarlyErrors()).toEqual([])
})
