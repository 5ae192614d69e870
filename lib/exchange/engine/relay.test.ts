import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { READ_AHEAD_BYTES_MAX, streamOf } from '@/lib/http/direct-response'
import { openResponse } from '@/test/support/open-response'
import { standStill } from '@/test/support/stand-still'
import { ChatStream } from '../kinds/chat/stream'
import { createDirectSink } from './direct-sink'
import type { StreamReader } from './kind'
import { relay } from './relay'

const HOUR_MS = 3_600_000
const event = (text: string) => `data: {"id":"x","choices":[{"delta":{"content":"${text}"}}]}\n\n`

describe('relaying events', () => {
  let upstream: ServerResponse
  let response: IncomingMessage
  let close: () => Promise<void>
  beforeEach(async () => {
    ;({ upstream, response, close } = await openResponse())
  })
  afterEach(async () => {
    jest.useRealTimers()
    await close()
  })

  /** Only those that wait: the connection needs all others. */
  const fakeTimers = () =>
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'clearImmediate'] })

  function pump(
    signal = new AbortController().signal,
    broken: Partial<StreamReader> = {},
    { stallTimeoutMs = 24 * HOUR_MS, betweenBytesTimeoutMs = HOUR_MS } = {},
  ) {
    const gone: string[] = []
    const sink = createDirectSink({ stallTimeoutMs, onGone: () => gone.push('gone') })
    const upstreamSettings = { id: 'stand-in', baseUrl: 'http://127.0.0.1', apiKey: null, setBy: 'a test' }
    const end = relay(
      { upstream: upstreamSettings, response, reader: Object.assign(readerOf(new ChatStream()), broken) },
      { sink, betweenBytesTimeoutMs, signal, onProgress: () => {} },
    )
    return { sink, end, gone, reader: streamOf(sink.body).getReader() }
  }

  test('pauses the upstream while the reader takes nothing, and resumes when it does', async () => {
    const { reader, end, sink } = pump()
    const paused = once(response, 'pause')
    upstream.write(event('x'.repeat(2 * READ_AHEAD_BYTES_MAX)))
    await paused
    expect(sink.wantsMore()).toBe(false)
    upstream.end(`${event('y')}data: [DONE]\n\n`)
    const resumed = once(response, 'resume')
    await reader.read()
    await resumed
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe(event('y'))
    expect(await end).toEqual({ status: 'completed', error: null })
    sink.end()
    expect((await reader.read()).done).toBe(true)
  })

  test('takes no upstream for silent that waits for the reader', async () => {
    fakeTimers()
    const { reader, end } = pump()
    const paused = once(response, 'pause')
    upstream.write(event('x'.repeat(2 * READ_AHEAD_BYTES_MAX)))
    await paused
    jest.advanceTimersByTime(HOUR_MS - 1)
    jest.advanceTimersByTime(HOUR_MS - 1)
    upstream.end('data: [DONE]\n\n')
    await reader.read()
    expect(await end).toEqual({ status: 'completed', error: null })
  })

  test('takes a reader for gone that reads nothing for too long, and lets the upstream go on', async () => {
    fakeTimers()
    const { reader, end, gone } = pump(undefined, {}, { stallTimeoutMs: HOUR_MS / 2 })
    const paused = once(response, 'pause')
    upstream.write(event('x'.repeat(2 * READ_AHEAD_BYTES_MAX)))
    await paused
    jest.advanceTimersByTime(HOUR_MS / 2)
    expect(gone).toEqual(['gone'])
    upstream.end(`${event('y'.repeat(2 * READ_AHEAD_BYTES_MAX))}data: [DONE]\n\n`)
    expect(await end).toEqual({ status: 'completed', error: null })
    await expect(reader.read()).rejects.toThrow('has read nothing for too long')
    expect(gone).toEqual(['gone'])
  })

  test('takes no upstream for silent whose words came while this process stood still', async () => {
    const { reader, end } = pump(undefined, {}, { betweenBytesTimeoutMs: 100 })
    for (const text of ['one', 'two']) {
      upstream.write(event(text))
      standStill(200)
      expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe(event(text))
    }
    expect(await end).toMatchObject({ status: 'failed', error: { code: 'upstream_timeout' } })
  })

  test('passes on one chunk of the upstream as one chunk', async () => {
    const { reader } = pump()
    for (const text of ['one', 'two', 'three']) {
      upstream.write(event(text))
      expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe(event(text))
    }
  })

  test('fails if the rest at the end cannot be read', async () => {
    const { end, reader } = pump(undefined, {
      flush() {
        throw new RangeError('Maximum call stack size exceeded')
      },
    })
    upstream.write(event('one'))
    await reader.read()
    upstream.end('data: {')
    expect(await end).toMatchObject({ status: 'failed', error: { code: 'upstream_error' } })
  })

  test('reports once that the reader has left', async () => {
    const { reader, gone } = pump()
    await reader.cancel()
    expect(gone).toEqual(['gone'])
  })

  test('ends at once when aborted, and closes the upstream', async () => {
    const abort = new AbortController()
    const { end } = pump(abort.signal)
    const closed = once(upstream, 'close')
    abort.abort()
    expect(await end).toEqual({ status: 'stopped', error: null })
    await closed
    expect(upstream.writableFinished).toBe(false)
  })
})

/** What a relay needs of a reader; what an answer costs is no matter here. */
function readerOf(stream: ChatStream): StreamReader {
  return {
    push: chunk => stream.push(chunk),
    flush: () => stream.flush(),
    get ended() {
      return stream.ended
    },
    get error() {
      return stream.error
    },
    isComplete: () => stream.isComplete,
    hasEverything: () => stream.hasEverything,
    isCountable: () => true,
    answerId: null,
    evidence: () => {
      throw new Error('A relay does not count.')
    },
    lastWords: () => null,
  }
}
