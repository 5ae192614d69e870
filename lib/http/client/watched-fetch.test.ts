import { afterEach, expect, test } from '@jest/globals'
import { type CallOutcome, onCallOutcome, watchedFetch } from './watched-fetch'

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

test('a call that fails is told with what was thrown, and still fails for its caller', async () => {
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

test('an answer is told by its status, without a header or a body, and its body is still to be read', async () => {
  const outcomes = listen()
  globalThis.fetch = async () => new Response('the body', { status: 402 })
  const response = await watchedFetch('/keys', { headers: { authorization: 'Bearer secret' } })
  expect(await response.text()).toBe('the body')
  expect(outcomes).toEqual([{ method: 'GET', path: '/keys', status: 402, failure: null }])
})

test('who has stopped listening is told nothing', async () => {
  const outcomes = listen()
  stop()
  globalThis.fetch = async () => new Response('')
  await watchedFetch('/keys')
  expect(outcomes).toEqual([])
})
