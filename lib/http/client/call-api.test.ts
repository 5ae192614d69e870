import { afterEach, describe, expect, jest, test } from '@jest/globals'
import { ApiCallError, callApi, callApiForJson, errorCodeOf } from './call-api'

const realFetch = globalThis.fetch
afterEach(() => {
  globalThis.fetch = realFetch
})

function answerWith(answer: () => Promise<Response>) {
  const fetchMock = jest.fn<typeof fetch>(answer)
  globalThis.fetch = fetchMock
  return fetchMock
}

describe('a call that fails', () => {
  test.each([
    ['the code of the API', '{"error":{"code":"key_limit_reached"}}', 'key_limit_reached'],
    ['unknown for an error without a code', '{"error":{}}', 'unknown'],
    ['unknown for a body that is not JSON', '<html>', 'unknown'],
  ])('throws %s', async (_what, body, code) => {
    answerWith(async () => new Response(body, { status: 403 }))
    await expect(callApi({ method: 'GET', path: '/keys' })).rejects.toMatchObject({ code })
  })

  test('without a network throws network', async () => {
    answerWith(async () => {
      throw new TypeError('Failed to fetch')
    })
    await expect(callApi({ method: 'GET', path: '/keys' })).rejects.toMatchObject({ code: 'network' })
  })

  test.each([502, 503, 504])(
    'of which a proxy says with %d that the server is away throws network',
    async status => {
      answerWith(async () => new Response('<html>', { status }))
      await expect(callApi({ method: 'GET', path: '/keys' })).rejects.toMatchObject({ code: 'network' })
    },
  )

  test('for any other reason throws unknown', () => {
    expect(errorCodeOf(new Error('secret detail'))).toBe('unknown')
    expect(errorCodeOf(new ApiCallError('forbidden'))).toBe('forbidden')
  })
})

test('the credential is sent in a header and never in the URL', async () => {
  const fetchMock = answerWith(async () => Response.json({ ok: true }))
  const answer = await callApiForJson({ method: 'POST', path: '/keys', bearer: 'the-secret', body: { a: 1 } })
  expect(answer).toEqual({ ok: true })
  const [address, init] = fetchMock.mock.calls[0] ?? []
  expect(address).toBe('/keys')
  expect(init).toMatchObject({
    method: 'POST',
    body: '{"a":1}',
    headers: { authorization: 'Bearer the-secret', 'content-type': 'application/json' },
  })
})
