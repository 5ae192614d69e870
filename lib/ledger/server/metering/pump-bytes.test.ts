import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { READ_AHEAD_BYTES_MAX } from '../../domain/metering-limits'
import { createDirectSink } from './direct-sink'
import { pumpBytes } from './pump-bytes'
import { openResponse } from './testing'

const SILENCE_MS = 60_000

async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  while (!(await reader.read()).done);
}

describe('pumping bytes', () => {
  let upstream: ServerResponse
  let response: IncomingMessage
  let close: () => Promise<void>
  beforeEach(async () => {
    ;({ upstream, response, close } = await openResponse())
    // The network keeps its own clock; only the silence is told by the test.
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] })
  })
  afterEach(async () => {
    jest.useRealTimers()
    await close()
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
