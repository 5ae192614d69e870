import { afterEach, expect, test } from '@jest/globals'
import type { CallOutcome } from '../domain/call-outcome'
import { onCallOutcome, watchedFetch } from './watched-fetch'

const realFetch = globalThis.fetch
let stop = () => {}
afterEach(() => {
  stop()
  globalThis.fetch = realFetch
})

function listen(): CallOutcome[] {
  const outcomes: CallOutcome[] = []
  stop = onCallOutcome(outcome => outcomes.push(outcome))
  return outcomes
}

test('a failing call is reported with its error, and still fails for its caller', async () => {
  const outcomes = listen()
  globalThis.fetch = async () => {
    throw new DOMException('The user aborted a request.', 'AbortError')
  }
  await expect(watchedFetch('/keys', { method: 'POST' })).rejects.toMatchObject({ name: 'AbortError' })
  expect(outcomes).toEqual([
    {
      method: 'POST',
      path: '/keys',
      status: null,
      failure: { name: 'AbortError', message: 'The user aborted a request.' },
    },
  ])
})

test('a call that took too long is reported as such, also where it fails as aborted, as in Safari', async () => {
  const outcomes = listen()
  const signal = AbortSignal.abort(new DOMException('The operation timed out.', 'TimeoutError'))
  globalThis.fetch = async () => {
    throw new DOMException('Fetch is aborted', 'AbortError')
  }
  await expect(watchedFetch('/keys', { signal })).rejects.toMatchObject({ name: 'AbortError' })
  expect(outcomes).toMatchObject([{ failure: { name: 'TimeoutError', message: 'The operation timed out.' } }])
})

test('an answer is reported by its status only, and its body can still be read', async () => {
  const outcomes = listen()
  globalThis.fetch = async () => new Response('the body', { status: 402 })
  const response = await watchedFetch('/keys', { headers: { authorization: 'Bearer secret' } })
  expect(await response.text()).toBe('the body')
  expect(outcomes).toEqual([{ method: 'GET', path: '/keys', status: 402, failure: null }])
})

test('a removed listener gets no more reports', async () => {
  const outcomes = listen()
  stop()
  globalThis.fetch = async () => new Response('')
  await watchedFetch('/keys')
  expect(outcomes).toEqual([])
})
