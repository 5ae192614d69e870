import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { expect, test } from '@jest/globals'
import { freePort } from '@/test/support/free-port'
import { listen } from '@/test/support/listen'
import { standStill } from '@/test/support/stand-still'
import { sendUpstream } from './send-upstream'

const send = (baseUrl: string, body: Buffer, { connectTimeoutMs = 5_000, firstByteTimeoutMs = 5_000 } = {}) =>
  sendUpstream({
    upstream: { id: 'silent', baseUrl, apiKey: null, setBy: 'test' },
    path: '/chat/completions',
    body,
    connectTimeoutMs,
    firstByteTimeoutMs,
    signal: new AbortController().signal,
  })

test('a host that never finishes its TLS handshake has read nothing, and another one may be asked', async () => {
  const { port, stop } = await listen(createServer())
  const sent = send(`https://127.0.0.1:${port}/v1`, Buffer.from('{}'), { connectTimeoutMs: 20 })
  await expect(sent).rejects.toMatchObject({ kind: 'timeout', mayBill: false })
  void stop()
})

test('a host that refuses the connection has read nothing', async () => {
  const sent = send(`http://127.0.0.1:${await freePort()}/v1`, Buffer.from('{}'))
  await expect(sent).rejects.toMatchObject({ kind: 'refused', mayBill: false })
})

test.each([
  ['a part of the request', Buffer.alloc(64 * 1024 * 1024), false],
  ['the request', Buffer.from('{}'), true],
])('a host that breaks off after %s: whether it may bill', async (_, body, mayBill) => {
  const server = createServer(socket => socket.once('data', () => socket.resetAndDestroy()))
  const { port, stop } = await listen(server)
  const sent = send(`http://127.0.0.1:${port}/v1`, body)
  await expect(sent).rejects.toMatchObject({ kind: 'refused', mayBill })
  await stop()
})

test('a host that has answered while this process stood still has answered in time', async () => {
  const server = createHttpServer((_request, response) => {
    response.flushHeaders()
    standStill(200)
    response.end()
  })
  const { port, stop } = await listen(server)
  const sent = send(`http://127.0.0.1:${port}/v1`, Buffer.from('{}'), { firstByteTimeoutMs: 100 })
  expect((await sent).resume().statusCode).toBe(200)
  await stop()
})
