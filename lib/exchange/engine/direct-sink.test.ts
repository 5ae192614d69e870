import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { READ_AHEAD_BYTES_MAX } from '@/lib/http/direct-response'
import { createDirectSink } from './direct-sink'

const STALL_MS = 1_000

describe('an answer for one reader', () => {
  /** What its reader got, and what its writer was told. */
  let events: string[]
  let sink: ReturnType<typeof createDirectSink>
  let hasRoom: boolean
  beforeEach(() => {
    jest.useFakeTimers()
    events = []
    hasRoom = true
    sink = createDirectSink({ stallTimeoutMs: STALL_MS, onGone: () => events.push('gone') })
    sink.onReady(() => events.push('go on'))
  })
  afterEach(() => {
    jest.useRealTimers()
  })

  const read = () =>
    sink.body.writeTo({
      write(bytes) {
        events.push(Buffer.from(bytes).toString())
        return hasRoom
      },
      end: () => events.push('end'),
      fail: ({ message }) => events.push(message),
    })
  const write = (text: string) => sink.write(Buffer.from(text))

  test('is kept until the reader comes, and no more of it is asked for than may be kept', () => {
    expect(write('a')).toBe(true)
    expect([sink.write(new Uint8Array(READ_AHEAD_BYTES_MAX)), sink.wantsMore()]).toEqual([false, false])
    hasRoom = false
    const reader = read()
    expect([events[0], events.length, sink.wantsMore()]).toEqual(['a', 2, false])
    reader.ready()
    expect([events[2], sink.wantsMore()]).toEqual(['go on', true])
  })

  test('that has ended before its reader came ends for it', () => {
    write('a')
    sink.end()
    read()
    expect(events).toEqual(['a', 'end'])
  })

  test('ends once, and nothing comes after', () => {
    const reader = read()
    sink.end()
    sink.fail(new Error('broken'))
    expect(write('late')).toBe(true)
    reader.gone()
    expect(events).toEqual(['end'])
  })

  test('goes on without its reader: who has left is reported once, who was given up is not', () => {
    hasRoom = false
    const reader = read()
    expect(write('a')).toBe(false)
    reader.gone()
    reader.gone()
    expect([write('b'), sink.wantsMore()]).toEqual([true, true])
    jest.advanceTimersByTime(STALL_MS)
    expect(events).toEqual(['a', 'go on', 'gone'])
  })

  test('is given up', () => {
    hasRoom = false
    const reader = read()
    write('a')
    sink.abandon()
    reader.gone()
    expect([events, sink.wantsMore()]).toEqual([['a', 'go on'], true])
  })

  test('breaks off if its reader takes nothing for too long, counted anew whenever it takes something', () => {
    hasRoom = false
    const reader = read()
    write('a')
    jest.advanceTimersByTime(STALL_MS - 1)
    write('b')
    reader.ready()
    jest.advanceTimersByTime(STALL_MS)
    write('c')
    jest.advanceTimersByTime(STALL_MS - 1)
    expect(events).toEqual(['a', 'b', 'go on', 'c'])
    jest.advanceTimersByTime(1)
    expect(events.slice(4)).toEqual(['The client has read nothing for too long.', 'go on', 'gone'])
  })

  test('that has ended is no longer timed', () => {
    hasRoom = false
    read()
    write('a')
    sink.end()
    jest.advanceTimersByTime(STALL_MS)
    expect(events).toEqual(['a', 'end'])
  })
})
