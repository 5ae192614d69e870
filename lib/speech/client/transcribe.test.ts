import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { ApiCallError } from '@/lib/http/client/call-api'
import { UnknownOutcomeError } from './paid-audio'
import { transcribe } from './transcribe'

const order = {
  creditId: 'the-secret',
  modelId: 'a/ears',
  audio: new Blob(['sound'], { type: 'audio/webm;codecs=opus' }),
  idempotencyKey: 'key-1',
  mostUsd: '0.0005',
}

let fetchMock: jest.SpiedFunction<typeof fetch>
beforeEach(() => {
  fetchMock = jest.spyOn(globalThis, 'fetch')
})
afterEach(() => {
  jest.restoreAllMocks()
})

test('the recording is sent as a form, the credit only in a header, and text and cost are returned', async () => {
  const headers = { 'x-exchange-id': 'one', 'x-cost-usd': '0.0004' }
  fetchMock.mockResolvedValue(Response.json({ text: ' Hello. ' }, { headers }))
  expect(await transcribe(order)).toEqual({ text: 'Hello.', exchangeId: 'one', costUsd: '0.0004' })
  const [address, init] = fetchMock.mock.calls[0] ?? []
  expect(address).toBe('/v1/audio/transcriptions')
  // With a content type of our own, the form's boundary would be missing.
  expect(init?.headers).toEqual({
    authorization: 'Bearer the-secret',
    'idempotency-key': 'key-1',
    'x-max-charge-usd': '0.0005',
  })
  const form = init?.body as FormData
  expect(form.get('model')).toBe('a/ears')
  expect(await (form.get('file') as File).text()).toBe('sound')
})

test('a broken connection reports a possible charge, and an answer without text an upstream error', async () => {
  fetchMock.mockResolvedValue(new Response('{"text": "Hel'))
  await expect(transcribe(order)).rejects.toBeInstanceOf(UnknownOutcomeError)
  fetchMock.mockResolvedValue(Response.json({}))
  await expect(transcribe(order)).rejects.toEqual(new ApiCallError('upstream_error'))
})
