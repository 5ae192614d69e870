import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { ApiCallError } from '@/lib/http/client/call-api'
import { UnknownOutcomeError } from './paid-audio'
import { synthesize } from './synthesize'

const request = {
  creditId: 'the-secret',
  modelId: 'a/voice',
  voiceId: 'rachel',
  text: 'Hello.',
  idempotencyKey: 'key-1',
}

let fetchMock: jest.SpiedFunction<typeof fetch>
beforeEach(() => {
  fetchMock = jest.spyOn(globalThis, 'fetch')
})
afterEach(() => {
  jest.restoreAllMocks()
})

const failure = (response: Response | Error) => {
  if (response instanceof Error) fetchMock.mockRejectedValue(response)
  else fetchMock.mockResolvedValue(response)
  return synthesize(request).then(
    () => null,
    (thrown: unknown) => thrown,
  )
}

describe('reports a possible charge', () => {
  const broken = new Response(
    new ReadableStream({
      pull: controller => controller.error(new TypeError('cut')),
    }),
  )
  test.each<[string, Response | Error]>([
    ['when no answer came', new TypeError('Failed to fetch')],
    ['when the sound broke off', broken],
    ['when a proxy answered', new Response('<h1>Bad gateway</h1>', { status: 502 })],
    [
      'while the first request still runs',
      Response.json({ error: { code: 'conflict' } }, { status: 409, headers: { 'retry-after': '1' } }),
    ],
  ])('%s', async (_, response) => {
    expect(await failure(response)).toBeInstanceOf(UnknownOutcomeError)
  })
})

describe('reports no charge', () => {
  test.each([
    [402, 'insufficient_credit'],
    [401, 'invalid_credential'],
    [429, 'rate_limited'],
    [502, 'upstream_error'],
    [409, 'idempotency_conflict'],
  ])('when the server refuses with %i', async (status, code) => {
    const thrown = await failure(Response.json({ error: { code } }, { status }))
    expect(thrown).not.toBeInstanceOf(UnknownOutcomeError)
    expect(thrown).toMatchObject({ code })
  })
})

test('an answer without sound is reported as an upstream error', async () => {
  expect(await failure(new Response(''))).toEqual(new ApiCallError('upstream_error'))
})

test('text, voice and idempotency key are sent, the credit only in a header, and sound and cost are returned', async () => {
  fetchMock.mockResolvedValue(
    new Response('sound', { headers: { 'x-exchange-id': 'one', 'x-cost-usd': '0.0001' } }),
  )
  const { audio, ...rest } = await synthesize(request)
  expect(await audio.text()).toBe('sound')
  expect(rest).toEqual({ exchangeId: 'one', costUsd: '0.0001' })
  const [address, init] = fetchMock.mock.calls[0] ?? []
  expect(address).toBe('/v1/audio/speech')
  expect(init?.headers).toMatchObject({ authorization: 'Bearer the-secret', 'idempotency-key': 'key-1' })
  expect(JSON.parse(String(init?.body))).toEqual({ model: 'a/voice', voice: 'rachel', input: 'Hello.' })
})
