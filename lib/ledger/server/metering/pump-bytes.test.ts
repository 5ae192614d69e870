import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { READ_AHEAD_BYTES_MAX } from '../../domain/metering-limits'
import { createDirectSink } from './direct-sink'
import { pumpBytes } from './pump-bytes'

const SILENCE_MS = 60_000

async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  while (!(await reader.read()).done);
}

describe('pumping bytes', () => {
  let server: Server
  let upstream: ServerResponse
  let response: IncomingMessage
  beforeEach(async () => {
    server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const asked = once(server, 'request')
    const call = request({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' }).end()
    upstream = (await asked)[1]
    upstream.flushHeaders()
    response = (await once(call, 'response'))[0]
    response.pause()
    response.on('error', () => {})
    // The network keeps its own clock; only the silence is told by the test.
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] })
  })
  afterEach(async () => {
    jest.useRealTimers()
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })

  function pump() {
    const sink = createDirectSink({ stallTimeoutMs: 100 * SILENCE_MS, onGone: () => {} })
    const { signal } = new AbortController()
    const end = pumpBytes({ response, sink, betweenBytesTimeoutMs: SILENCE_MS, signal })
    return { sink, end, reader: sink.body.getReader() }
  }

  test('gives up an upstream that falls silent', async () => {
    const { end, reader } = pump()
    upstream.write('abcd')
    await reader.read()
    const closed = once(upstream, 'close')
    jest.advanceTimersByTime(SILENCE_MS)
    expect(await end).toEqual({ kind: 'silent', byteCount: 4 })
    await closed
  })

  test('does not take an upstream that waits for its reader for a silent one', async () => {
    const { end, reader, sink } = pump()
    const paused = once(response, 'pause')
    upstream.write(Buffer.alloc(2 * READ_AHEAD_BYTES_MAX))
    await paused
    expect(sink.wantsMore()).toBe(false)
    jest.advanceTimersByTime(10 * SILENCE_MS)
    const resumed = once(response, 'resume')
    await reader.read()
    await resumed
    upstream.end('last')
    const drained = drain(reader)
    expect(await end).toEqual({ kind: 'completed', byteCount: 2 * READ_AHEAD_BYTES_MAX + 4 })
    sink.end()
    await drained
  })

  test('tells a body that was cut from one that ended', async () => {
    const { end, reader } = pump()
    upstream.write('abcd')
    await reader.read()
    upstream.destroy()
    expect(await end).toEqual({ kind: 'cut', byteCount: 4 })
  })
})
