import { randomUUID } from 'node:crypto'
import { type ClientRequest, type IncomingMessage, request as openRequest } from 'node:http'
import { connect } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { z } from 'zod'
import { describeOnPostgres } from '@/lib/db/testing'
import { createEmbeddedLedger } from '@/lib/ledger/server/embedded-ledger'
import { type ServedHandler, serveHandler } from '@/test/support/serve-handler'
import { type AdmittedBody, admitBody } from './admit-body'
import { type BodiesInFlight, createBodiesInFlight } from './bodies-in-flight'
import { hashSecret } from './credential'
import { handleApi } from './handle-api'
import { onServerError } from './server-errors'

const KILOBYTE = 1024
const MEGABYTE = 1024 * KILOBYTE
const ROUTE_BYTES_MAX = 8 * MEGABYTE
const LIMITS = {
  bytesMax: 3 * MEGABYTE,
  perAddressBytesMax: 2 * MEGABYTE,
  reservedBytes: MEGABYTE / 2,
  smallBodyBytes: 256 * KILOBYTE,
}
const CENT_NANO = 10_000_000n
/** The least progress in a time window, and the window’s length. */
const WINDOW_MS = 10_000

/** All of a program’s clocks except setInterval, by which progress is watched. */
const REAL_CLOCKS = [
  'Date',
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setTimeout',
  'clearTimeout',
] as const

interface Answer {
  status: number
  headers: IncomingMessage['headers']
  body: unknown
}

/** A request whose body is sent on the test’s command. */
interface Upload {
  send(bytes: string | Buffer): void
  end(): void
  breakOff(): void
  answer: Promise<Answer>
}

describeOnPostgres('the body of a paid request', getDatabase => {
  let server: ServedHandler
  let inFlight: BodiesInFlight
  let ledger: ReturnType<typeof createEmbeddedLedger>
  let lookUpCount: number
  let content: 'json' | 'bytes'
  let paidByteCount: number
  let admitted: AdmittedBody[]
  let uploads: ClientRequest[]
  /** Ends the waiting of a failed test. */
  let isOver: boolean

  beforeEach(async () => {
    isOver = false
    inFlight = createBodiesInFlight({ onVercel: false, limits: LIMITS })
    ledger = createEmbeddedLedger({ database: getDatabase() })
    lookUpCount = 0
    content = 'bytes'
    paidByteCount = 0
    admitted = []
    uploads = []
    const answer = handleApi(async request => {
      const body = await admitBody(request, {
        bytesMax: ROUTE_BYTES_MAX,
        content,
        inFlight,
        lookUp: credential => {
          lookUpCount += 1
          return ledger.getBalance({ credential })
        },
        paidByteCount: async () => paidByteCount,
      })
      admitted.push(body)
      if (content === 'json') await body.json(z.unknown())
      return Response.json({ byteCount: body.bytes.byteLength })
    })
    server = await serveHandler(answer)
  })
  afterEach(async () => {
    isOver = true
    jest.useRealTimers()
    for (const upload of uploads) upload.destroy()
    await server.close()
  })

  async function createAccount(availableNano: bigint): Promise<string> {
    const creditId = randomUUID()
    const creditIdHash = hashSecret(creditId)
    const { accountId } = await ledger.createAccount({ creditIdHash, firstKey: null, attribution: null })
    const reference = randomUUID()
    if (availableNano > 0n)
      await ledger.credit({ accountId, amountNano: availableNano, source: 'gateway', reference, memo: {} })
    return creditId
  }

  function open(creditId: string | null, more: Record<string, string> = {}): Upload {
    const request = openRequest(server.url, {
      method: 'POST',
      headers: {
        'x-client-address': '192.0.2.1',
        ...(creditId === null ? {} : { authorization: `Bearer ${creditId}` }),
        ...more,
      },
    })
    uploads.push(request)
    request.flushHeaders()
    const answer = new Promise<Answer>((resolve, reject) => {
      request.on('error', reject)
      request.on('response', async response => {
        const chunks: Buffer[] = []
        for await (const chunk of response) chunks.push(chunk)
        const { statusCode: status = 0, headers } = response
        resolve({ status, headers, body: JSON.parse(Buffer.concat(chunks).toString()) })
      })
    })
    // A test of a stalled upload may not await its answer.
    answer.catch(() => {})
    return {
      send: bytes => void request.write(bytes),
      end: () => void request.end(),
      breakOff: () => void request.destroy(),
      answer,
    }
  }

  const codeOf = async (upload: Upload) => {
    const { status, body } = await upload.answer
    return [status, (body as { error?: { code: string } }).error?.code ?? 'none']
  }
  const until = async (isSo: () => boolean) => {
    while (!isSo() && !isOver) await nextTurn()
  }

  describe('is not read', () => {
    test('without a credential: it is refused before the first byte', async () => {
      expect(await codeOf(open(null, { 'content-length': String(MEGABYTE) }))).toEqual([
        401,
        'invalid_credential',
      ])
      expect(lookUpCount).toBe(0)
    })

    test('with an unknown credential: it is refused with or without a declared length', async () => {
      const announced = open(randomUUID(), { 'content-length': String(MEGABYTE) })
      expect(await codeOf(announced)).toEqual([401, 'invalid_credential'])
      const unannounced = open(randomUUID())
      unannounced.send(Buffer.alloc(15 * KILOBYTE))
      await until(() => inFlight.byteCount === 15 * KILOBYTE)
      expect(lookUpCount).toBe(1)
      unannounced.send(Buffer.alloc(2 * KILOBYTE))
      expect(await codeOf(unannounced)).toEqual([401, 'invalid_credential'])
      expect(lookUpCount).toBe(2)
      expect(inFlight.byteCount).toBe(0)
    })

    test('beyond the route’s size limit, whatever the balance', async () => {
      const rich = await createAccount(100n * CENT_NANO)
      const announced = open(rich, { 'content-length': String(ROUTE_BYTES_MAX + 1) })
      expect(await codeOf(announced)).toEqual([413, 'request_too_large'])
      inFlight = createBodiesInFlight({ onVercel: false })
      const unannounced = open(rich)
      unannounced.send(Buffer.alloc(ROUTE_BYTES_MAX + 1))
      expect(await codeOf(unannounced)).toEqual([413, 'request_too_large'])
    })
  })

  test('is read without looking up the credential if it is short', async () => {
    const upload = open(randomUUID())
    upload.send(Buffer.alloc(16 * KILOBYTE))
    upload.end()
    expect(await upload.answer).toMatchObject({
      status: 200,
      body: { byteCount: 16 * KILOBYTE },
    })
    expect(lookUpCount).toBe(0)
  })

  test.each([
    [0n, 256 * KILOBYTE, 200],
    [0n, 256 * KILOBYTE + 1, 402],
    [CENT_NANO - 1n, 256 * KILOBYTE + 1, 402],
    [CENT_NANO, 4 * MEGABYTE, 200],
    [CENT_NANO, 4 * MEGABYTE + 1, 402],
    [10n * CENT_NANO - 1n, 4 * MEGABYTE + 1, 402],
    [10n * CENT_NANO, ROUTE_BYTES_MAX, 200],
  ])(
    'with %d nano-dollars available and %d bytes gets status %d',
    async (availableNano, byteCount, status) => {
      inFlight = createBodiesInFlight({ onVercel: false })
      const creditId = await createAccount(availableNano)
      const announced = open(creditId, { 'content-length': String(byteCount) })
      announced.send(Buffer.alloc(byteCount))
      const unannounced = open(creditId)
      unannounced.send(Buffer.alloc(byteCount))
      unannounced.end()
      expect((await announced.answer).status).toBe(status)
      expect((await unannounced.answer).status).toBe(status)
      expect(lookUpCount).toBe(2)
    },
  )

  test('that is too large for the available balance is refused with both amounts', async () => {
    const upload = open(await createAccount(CENT_NANO / 2n), { 'content-length': String(MEGABYTE) })
    expect((await upload.answer).body).toMatchObject({
      error: {
        code: 'insufficient_credit',
        message: 'A request of this size needs 0.01 USD of credit, and 0.005 USD are available.',
        required_usd: 0.01,
        available_usd: 0.005,
      },
    })
  })

  test('may be as long, with an empty balance, as one that was paid for before', async () => {
    const creditId = await createAccount(0n)
    paidByteCount = 300 * KILOBYTE
    for (const [byteCount, status] of [
      [paidByteCount, 200],
      [paidByteCount + 1, 402],
    ] as const) {
      const announced = open(creditId, { 'content-length': String(byteCount) })
      const unannounced = open(creditId)
      for (const upload of [announced, unannounced]) {
        upload.send(Buffer.alloc(byteCount))
        upload.end()
        expect((await upload.answer).status).toBe(status)
      }
    }
  })

  test('with too many JSON values is refused during the upload, whatever the balance', async () => {
    content = 'json'
    const upload = open(await createAccount(100n * CENT_NANO))
    upload.send(`[${'{},'.repeat(100_000)}`)
    expect(await codeOf(upload)).toEqual([400, 'invalid_request'])
    expect(inFlight.byteCount).toBe(0)
  })

  test('in pieces of a byte each is refused', async () => {
    const upload = open(await createAccount(100n * CENT_NANO))
    for (let count = 0; count < 4_000; count += 1) upload.send('x')
    expect(await codeOf(upload)).toEqual([400, 'invalid_request'])
  })

  test('that is refused is drained: the client gets the refusal and can reuse the connection', async () => {
    const creditId = await createAccount(0n)
    const { port } = new URL(server.url)
    const connection = connect(Number(port), '127.0.0.1')
    let heard = ''
    connection.setEncoding('utf8').on('data', text => {
      heard += text
    })
    const head = (framing: string) =>
      `POST / HTTP/1.1\r\nhost: site.test\r\nauthorization: Bearer ${creditId}\r\n${framing}\r\n\r\n`
    const large = 'x'.repeat(5 * MEGABYTE)
    connection.write(
      `${head('transfer-encoding: chunked')}${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`,
    )
    connection.write(`${head('content-length: 1')}x`)
    await until(() => heard.includes('HTTP/1.1 200') || connection.closed)
    expect(heard.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 402', 'HTTP/1.1 200'])
    connection.destroy()
  })

  test('is counted as in flight until it is released', async () => {
    const upload = open(await createAccount(0n))
    upload.send(Buffer.alloc(200 * KILOBYTE))
    upload.end()
    await upload.answer
    expect(inFlight.byteCount).toBe(200 * KILOBYTE)
    admitted[0]?.release()
    admitted[0]?.release()
    expect(inFlight.byteCount).toBe(0)
  })

  test('that is complete makes no room for another', async () => {
    const creditId = await createAccount(100n * CENT_NANO)
    for (const host of [1, 2]) {
      const complete = open(creditId, { 'x-client-address': `192.0.2.${host}` })
      complete.send(Buffer.alloc(MEGABYTE))
      complete.end()
      expect((await complete.answer).status).toBe(200)
    }
    const newcomer = open(creditId, { 'x-client-address': '198.51.100.1' })
    newcomer.send(Buffer.alloc(600 * KILOBYTE))
    expect((await newcomer.answer).status).toBe(429)
    expect(inFlight.byteCount).toBe(2 * MEGABYTE)
  })

  test('that is still arriving makes room for an address with less', async () => {
    const creditId = await createAccount(100n * CENT_NANO)
    const stalled = open(creditId, { 'x-client-address': '192.0.2.1' })
    stalled.send(Buffer.alloc(2 * MEGABYTE))
    await until(() => inFlight.byteCount === 2 * MEGABYTE)
    const newcomer = open(creditId, { 'x-client-address': '198.51.100.1' })
    newcomer.send(Buffer.alloc(600 * KILOBYTE))
    newcomer.end()
    expect((await newcomer.answer).status).toBe(200)
    expect((await stalled.answer).status).toBe(429)
  })

  test('that breaks off is no longer counted, and not reported as a server error', async () => {
    const faults: unknown[] = []
    onServerError(event => faults.push(event))
    const upload = open(await createAccount(0n))
    upload.send(Buffer.alloc(200 * KILOBYTE))
    await until(() => inFlight.byteCount === 200 * KILOBYTE)
    upload.breakOff()
    await until(() => inFlight.byteCount === 0)
    expect(faults).toEqual([])
  })

  describe('that stalls', () => {
    beforeEach(() => {
      jest.useFakeTimers({ doNotFake: [...REAL_CLOCKS] })
    })

    test('is refused with 408 after a while, and its connection is closed', async () => {
      const upload = open(await createAccount(0n))
      upload.send(Buffer.alloc(100 * KILOBYTE))
      await until(() => inFlight.byteCount === 100 * KILOBYTE)
      jest.advanceTimersByTime(WINDOW_MS)
      // The first window had enough progress; from here on there is none.
      expect(inFlight.byteCount).toBe(100 * KILOBYTE)
      jest.advanceTimersByTime(WINDOW_MS)
      const { status, headers } = await upload.answer
      expect([status, headers.connection]).toEqual([408, 'close'])
      // The network may be better in a moment: a client that retries by itself is not told to give up.
      expect([headers['retry-after'], headers['x-should-retry']]).toEqual(['1', undefined])
      expect(inFlight.byteCount).toBe(0)
    })

    test('is refused with 408 although it sends a byte from time to time', async () => {
      const upload = open(await createAccount(0n))
      for (let byteCount = 1; byteCount <= 9; byteCount += 1) {
        upload.send('x')
        await until(() => inFlight.byteCount === byteCount)
        jest.advanceTimersByTime(WINDOW_MS / 9)
      }
      jest.advanceTimersByTime(WINDOW_MS)
      expect((await upload.answer).status).toBe(408)
    })

    test('is not one that is only slow', async () => {
      const upload = open(await createAccount(0n))
      for (let count = 1; count <= 20; count += 1) {
        upload.send(Buffer.alloc(8 * KILOBYTE))
        await until(() => inFlight.byteCount === count * 8 * KILOBYTE)
        jest.advanceTimersByTime(WINDOW_MS)
      }
      upload.end()
      expect((await upload.answer).status).toBe(200)
    })

    test('is not one that waits for our credential look-up', async () => {
      const creditId = await createAccount(0n)
      let answerLookUp = () => {}
      const getBalance = ledger.getBalance
      ledger.getBalance = async question => {
        await new Promise<void>(resolve => {
          answerLookUp = resolve
        })
        return getBalance(question)
      }
      const upload = open(creditId)
      upload.send(Buffer.alloc(20 * KILOBYTE))
      await until(() => lookUpCount === 1)
      jest.advanceTimersByTime(5 * WINDOW_MS)
      answerLookUp()
      // It has left the sender only a part of the present window.
      upload.send('x')
      await until(() => inFlight.byteCount > 20 * KILOBYTE)
      jest.advanceTimersByTime(WINDOW_MS)
      upload.end()
      expect((await upload.answer).status).toBe(200)
    })
  })

  test('is refused beyond the memory limit for forty stalled uploads, while another address is served', async () => {
    jest.useFakeTimers({ doNotFake: [...REAL_CLOCKS] })
    const creditId = await createAccount(100n * CENT_NANO)
    const stalled = Array.from({ length: 40 }, (_, index) => {
      const upload = open(creditId, { 'x-client-address': `192.0.2.${index % 4}` })
      upload.send(Buffer.alloc(700 * KILOBYTE))
      return upload
    })
    const refused = await Promise.race(stalled.map(upload => upload.answer))
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '10'])
    expect(inFlight.byteCount).toBeLessThanOrEqual(LIMITS.bytesMax)
    const newcomer = open(randomUUID(), { 'x-client-address': '198.51.100.1' })
    newcomer.send(Buffer.alloc(10 * KILOBYTE))
    newcomer.end()
    expect((await newcomer.answer).status).toBe(200)
    for (const body of admitted) body.release()
    const answers = Promise.all(stalled.map(upload => upload.answer))
    while (inFlight.byteCount > 0 && !isOver) {
      jest.advanceTimersByTime(WINDOW_MS)
      await nextTurn()
    }
    expect(new Set((await answers).map(({ status }) => status))).toEqual(new Set([408, 429]))
  })
})
