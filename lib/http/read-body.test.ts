import { describe, expect, test } from '@jest/globals'
import { z } from 'zod'
import { until } from '@/test/support/exchange-world'
import { createBodiesInFlight } from './bodies-in-flight'
import { readBody, readJson, SMALL_BODY_BYTES_MAX } from './read-body'

const schema = z.object({ amount: z.number() })

function post(body: BodyInit | ReadableStream, headers: HeadersInit = {}): Request {
  return new Request('http://localhost/', { method: 'POST', body, headers, duplex: 'half' } as RequestInit)
}

describe('a body is refused', () => {
  test('when it is larger than allowed, whatever its declared length', async () => {
    const endless = new ReadableStream<Uint8Array>({
      pull: controller => controller.enqueue(new Uint8Array(64)),
    })
    await expect(readBody(post(endless), 1000)).rejects.toMatchObject({
      code: 'request_too_large',
      status: 413,
    })
    await expect(readBody(post('x', { 'content-length': '5000' }), 1000)).rejects.toMatchObject({
      code: 'request_too_large',
    })
  })

  test.each(['{', 'null', '[]', '"amount"', '{"amount":"1"}', '\u0000'])(
    'when it does not match the route’s schema: %j',
    async body => {
      await expect(readJson(post(body), schema)).rejects.toMatchObject({
        code: 'invalid_request',
        status: 400,
      })
    },
  )

  test('when it has a text with a length that cannot be compared', async () => {
    const named = z.object({ name: z.string().max(3) })
    await expect(readJson(post('{"name":{"length":{"toString":1}}}'), named)).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'The body is not valid: an object has an impossible length.',
    })
  })

  test('when it is compressed, with a sentence that says so', async () => {
    await expect(
      readJson(post('{"amount":1}', { 'content-encoding': 'zstd' }), schema),
    ).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'The body is compressed (zstd), which is not supported here. Send it uncompressed.',
    })
    await expect(readJson(post('{"amount":1}', { 'content-encoding': 'identity' }), schema)).resolves.toEqual(
      {
        amount: 1,
      },
    )
  })

  test('only if it is compressed, in whatever case it says that it is not', async () => {
    const headers = { 'content-encoding': 'Identity' }
    await expect(readJson(post('{"amount":1}', headers), schema)).resolves.toEqual({ amount: 1 })
  })

  test('when it is not UTF-8', async () => {
    await expect(readJson(post(new Uint8Array([0xff, 0xfe])), schema)).rejects.toMatchObject({
      code: 'invalid_request',
    })
  })

  test('with the name of the invalid field', async () => {
    await expect(readJson(post('{"amount":"1"}'), schema)).rejects.toMatchObject({ param: 'amount' })
  })
})

test('a body split into chunks is read whole', async () => {
  const halves = [new TextEncoder().encode('{"amo'), new TextEncoder().encode('unt":1}')]
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const half = halves.shift()
      if (half) controller.enqueue(half)
      else controller.close()
    },
  })
  await expect(readJson(post(stream), schema)).resolves.toEqual({ amount: 1 })
})

test('an empty body has no fields', async () => {
  await expect(readJson(post(''), z.object({ amount: z.number().default(1) }))).resolves.toEqual({
    amount: 1,
  })
})

test('a body whose sender is not known yet is counted while it is in memory, and makes room for others', async () => {
  const limits = { bytesMax: 8, perAddressBytesMax: 8, reservedBytes: 0, smallBodyBytes: 0 }
  const inFlight = createBodiesInFlight({ onVercel: false, limits })
  let sender: ReadableStreamDefaultController | undefined
  const slow = new ReadableStream({
    start(controller) {
      sender = controller
    },
  })
  const reading = readBody(post(slow), 100, inFlight)
  sender?.enqueue(new Uint8Array(6))
  await until(() => inFlight.byteCount === 6)
  const other = inFlight.open(new Headers({ 'x-client-address': '192.0.2.1' }))
  other.add(4)
  await expect(reading).rejects.toMatchObject({ code: 'rate_limited' })
  expect(inFlight.byteCount).toBe(4)
  await readBody(post('abc'), 100, inFlight)
  expect(inFlight.byteCount).toBe(4)
})

test('a refused body of many small pieces is not read to its end', async () => {
  const end = Promise.withResolvers<string>()
  let pieceCount = 0
  const body = new ReadableStream({
    pull(controller) {
      pieceCount += 1
      if (pieceCount < 100_000) controller.enqueue(new Uint8Array(1))
      else end.resolve('read')
    },
    cancel: () => end.resolve('cut'),
  })
  await expect(readBody(post(body), SMALL_BODY_BYTES_MAX)).rejects.toMatchObject({ code: 'invalid_request' })
  expect(await end.promise).toBe('cut')
})
