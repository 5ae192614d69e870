import { once } from 'node:events'
import { get, type IncomingMessage, request } from 'node:http'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type ServedHandler, serveHandler } from '@/test/support/serve-handler'
import { type BodyWriter, DirectResponse, type PushedBody, READ_AHEAD_BYTES_MAX } from './direct-response'

/** Has sent its first piece; the tests write the rest. */
let sound: BodyWriter
let served: ServedHandler
const LIST = Buffer.from(JSON.stringify({ words: 'coin '.repeat(1_000) }))

beforeAll(async () => {
  served = await serveHandler(async request => {
    const { pathname } = new URL(request.url)
    if (pathname === '/list') {
      return new DirectResponse(LIST, { status: 200, headers: { 'content-type': 'application/json' } })
    }
    if (pathname === '/cookies') {
      const headers = ['a=1; Path=/', 'b=2; Path=/'].map(
        cookie => ['set-cookie', cookie] satisfies [string, string],
      )
      return Response.json({}, { headers })
    }
    if (pathname !== '/sound')
      return Response.json({ words: 'coin '.repeat(1_000) }, { headers: { vary: 'anthropic-version' } })
    const body: PushedBody = {
      writeTo(writer) {
        sound = writer
        writer.write(Buffer.from('first'))
        return { ready() {}, gone() {} }
      },
    }
    return new DirectResponse(body, { status: 200, headers: { 'content-type': 'audio/mpeg' } })
  })
})
afterAll(() => served.close())

async function ask(path: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  const [response] = await once(get(served.url + path, { headers }), 'response')
  return response
}

test('audio is sent before it is complete', async () => {
  const response = await ask('/sound', { 'accept-encoding': 'gzip' })
  const [first] = await once(response, 'data')
  expect(String(first)).toBe('first')
  sound.end()
  await once(response, 'end')
  expect(response.headers['content-encoding']).toBeUndefined()
})

test('an answer that fails in the middle is cut off, so that nobody takes it for complete', async () => {
  const response = await ask('/sound')
  await once(response, 'data')
  sound.fail(new Error('The host broke off.'))
  const [error] = await once(response, 'error')
  expect(error).toMatchObject({ code: 'ECONNRESET' })
})

test('a short answer is sent as it is, and each of its cookies in a header of its own', async () => {
  const response = await ask('/cookies', { 'accept-encoding': 'gzip' })
  response.resume()
  expect(response.headers['set-cookie']).toEqual(['a=1; Path=/', 'b=2; Path=/'])
  expect(response.headers['content-encoding']).toBeUndefined()
})

test('a question for the head alone gives up the body', async () => {
  const given = Promise.withResolvers<void>()
  const body = new ReadableStream({ cancel: () => given.resolve() })
  const { url, close } = await serveHandler(async () => new Response(body))
  expect((await fetch(url, { method: 'HEAD' })).status).toBe(200)
  await given.promise
  await close()
})

test('a handler is not told that its reader has left once the answer has been read', async () => {
  const asked = Promise.withResolvers<AbortSignal>()
  const { url, close } = await serveHandler(async ({ signal }) => {
    asked.resolve(signal)
    return new Response('ok')
  })
  expect(await (await fetch(url, { headers: { connection: 'close' } })).text()).toBe('ok')
  await close()
  expect((await asked.promise).aborted).toBe(false)
})

test('the writes of one turn, including the end, are sent as one piece', async () => {
  const response = await ask('/sound')
  const pieces: string[] = []
  response.on('data', piece => pieces.push(String(piece)))
  await once(response, 'data')
  for (const text of ['one ', 'two ', 'three']) sound.write(Buffer.from(text))
  sound.end()
  await once(response, 'end')
  expect(pieces).toEqual(['first', 'one two three'])
})

test('a body that is available at once is sent completely, at the reader’s pace', async () => {
  const [piece, pieceCount] = [Buffer.alloc(8 * 1024), 200]
  const turns: number[] = []
  const { url, close } = await serveHandler(async () => {
    let sentCount = 0
    const body: PushedBody = {
      writeTo(writer) {
        function ready() {
          const before = sentCount
          for (let isWanted = true; isWanted && sentCount < pieceCount; sentCount += 1)
            isWanted = writer.write(piece)
          turns.push(sentCount - before)
          if (sentCount === pieceCount) writer.end()
        }
        ready()
        return { ready, gone() {} }
      },
    }
    return new DirectResponse(body, { status: 200, headers: {} })
  })
  const answer = await (await fetch(url)).arrayBuffer()
  expect(answer.byteLength).toBe(pieceCount * piece.length)
  expect(Math.max(...turns) * piece.length).toBe(READ_AHEAD_BYTES_MAX)
  await close()
})

test.each([
  ['in pieces', true],
  ['as a whole', false],
])('a reader that reads nothing of an answer sent %s is cut off', async (_how, isPushed) => {
  const answer = Buffer.alloc(64 * 1024 * 1024)
  const left = Promise.withResolvers<string>()
  const body: PushedBody = {
    writeTo(writer) {
      const ready = () => void writer.write(answer)
      ready()
      return { ready, gone: () => left.resolve('gone') }
    },
  }
  const source = isPushed ? body : answer
  const { url, close } = await serveHandler(async ({ signal }) => {
    if (!isPushed) signal.addEventListener('abort', () => left.resolve('gone'))
    return new DirectResponse(source, { status: 200, headers: {} })
  }, 20)
  // It may be cut off before or after the head of its answer, depending on the machine’s load.
  const asking = get(url, response => response.on('error', () => {}))
  asking.on('error', () => {})
  expect(await left.promise).toBe('gone')
  await close()
})

test('data is compressed if the client accepts it', async () => {
  const packed = await ask('/data', { 'accept-encoding': 'br, gzip' })
  packed.resume()
  expect(packed.headers).toMatchObject({
    'content-encoding': 'gzip',
    vary: 'accept-encoding, anthropic-version',
  })
  const plain = await ask('/data', { 'accept-encoding': 'gzip;q=0' })
  plain.resume()
  expect(plain.headers['content-encoding']).toBeUndefined()
  expect(plain.headers['content-length']).toBe('5012')
})

test('a repeated answer is not compressed again', async () => {
  const fetched = async () => (await fetch(`${served.url}/list`)).text()
  const first = await fetched()
  expect(first).toContain('coin coin')
  // If the bytes were compressed again, the answer would change.
  LIST.fill(0)
  expect(await fetched()).toBe(first)
})

test('reading a body after its sender has left throws an error', async () => {
  const arrived = Promise.withResolvers<void>()
  const read = Promise.withResolvers<unknown>()
  const { url, close } = await serveHandler(async asked => {
    arrived.resolve()
    await once(asked.signal, 'abort')
    await asked.body?.getReader().read().catch(read.resolve)
    return new Response()
  })
  const sending = request(url, { method: 'POST', headers: { 'content-length': 5_000 } })
  sending.on('error', () => {}).write('{')
  await arrived.promise
  sending.destroy()
  expect(await read.promise).toEqual(new Error('The request broke off.'))
  await close()
})
