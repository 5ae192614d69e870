import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { isFailedCall, levelOf, messageOfCall, tagsOf } from './describe-report'
import { endpointOf } from './endpoint'
import { isEventReported, levelOfEvent } from './judge-event'
import { SECRET_FORMS } from './testing'

describe('the level', () => {
  test.each([
    [400, 'warning'],
    [499, 'warning'],
    [500, 'error'],
    [599, 'error'],
    [null, 'error'],
  ])('of status %s is %s', (status, level) => {
    expect(levelOf(status)).toBe(level)
  })

  test('of an event is that of its status, and its own without one', () => {
    expect(levelOfEvent({ tags: { status: '404' } })).toBe('warning')
    expect(levelOfEvent({ tags: { status: 'x' } })).toBeNull()
    expect(levelOfEvent({})).toBeNull()
  })
})

describe('the endpoint', () => {
  test.each([
    ['/keys/0b0e7c9e-5d3c-4a53-9d5c-2f1d5f3f6a01?x=1', '/keys/{id}'],
    [
      '/api/payments/account/0b0e7c9e-5d3c-4a53-9d5c-2f1d5f3f6a01/credit',
      '/api/payments/account/{id}/credit',
    ],
    ['https://tuppence.test/v1/chat/completions#x', '/v1/chat/completions'],
    ['/de/c/letter-to-anna', '/de/c/{id}'],
    ['/', '/'],
    ['', '/'],
    ['/a/b/c/d/e/f/g/h/i', '/a/b/c/d/e/f/g/h'],
  ])('of %s is %s', (path, endpoint) => {
    expect(endpointOf(path)).toBe(endpoint)
  })

  test('has no secret from a path', () => {
    const secrets = fc.oneof(
      ...Object.entries(SECRET_FORMS)
        .filter(([form]) => !/words|JSON error/.test(form))
        .map(([, form]) => form),
    )
    fc.assert(
      fc.property(secrets, ({ text, secret }) => {
        expect(endpointOf(`/keys/${encodeURIComponent(text)}`)).toBe('/keys/{id}')
        expect(endpointOf(`/keys/${text}`)).not.toContain(secret)
      }),
    )
  })
})

test('unknown tags are dropped', () => {
  expect(tagsOf({ flow: null, endpoint: null, status: null })).toEqual({})
  expect(tagsOf({ flow: 'chat', endpoint: '/keys', status: 500 })).toEqual({
    flow: 'chat',
    endpoint: '/keys',
    status: '500',
  })
})

test('a call counts as failed from status 400 on, or without an answer', () => {
  const call = { method: 'GET', path: '/keys', failure: null }
  expect([200, 399, 400, null].map(status => isFailedCall({ ...call, status }))).toEqual([
    false,
    false,
    true,
    true,
  ])
})

test('a call is described by its shape and its result', () => {
  const call = { method: 'DELETE', path: '/keys/abc-123', failure: null }
  expect(messageOfCall({ ...call, status: 500 })).toBe('DELETE /keys/{id}: 500 Internal Server Error')
  expect(
    messageOfCall({ ...call, status: null, failure: { name: 'TypeError', message: 'Failed to fetch' } }),
  ).toBe('DELETE /keys/{id}: Failed to fetch')
})

describe('an event', () => {
  test('is dropped for its cause', () => {
    const values = [
      { type: 'AbortError', value: '' },
      { type: 'Error', value: 'payment' },
    ]
    expect(isEventReported({ exception: { values } }, 0)).toBe(false)
  })

  test('is reported for its message, its exception or its status', () => {
    expect(isEventReported({ message: 'wallet' }, 0.9)).toBe(true)
    expect(isEventReported({ exception: { values: [{ value: 'wallet' }] } }, 0.9)).toBe(true)
    expect(isEventReported({ message: 'GET /x', tags: { status: '500' } }, 0.9)).toBe(true)
    expect(isEventReported({ message: 'GET /x' }, 0.9)).toBe(false)
  })
})
