import { beforeEach, expect, jest, test } from '@jest/globals'
import type { BodyWriter, PushedBody } from '@/lib/http/direct-response'
import { COMMENT, withComments } from './waiting-comments'

const INTERVAL_MS = 15_000
const WORD = Buffer.from('data: word\n\n')

beforeEach(() => {
  jest.useFakeTimers()
})

test('a reader who has yet to take what was written is not told that the model is waited for', () => {
  const { reader, written } = read({ takes: false })
  jest.advanceTimersByTime(4 * INTERVAL_MS)
  expect(written).toEqual([WORD])
  reader.ready()
  jest.advanceTimersByTime(INTERVAL_MS)
  expect(written).toEqual([WORD, COMMENT])
  // Which it has yet to take, too.
  jest.advanceTimersByTime(4 * INTERVAL_MS)
  expect(written).toEqual([WORD, COMMENT])
})

test.each<{ over: string; end: (body: ReturnType<typeof read>) => void }>([
  { over: 'has ended', end: ({ source }) => source.end() },
  { over: 'has broken off', end: ({ source }) => source.fail(new Error('broken off')) },
  { over: 'has lost its reader', end: ({ reader }) => reader.gone() },
])('an answer that $over is followed by no comment', ({ end }) => {
  const body = read({ takes: true })
  end(body)
  jest.advanceTimersByTime(4 * INTERVAL_MS)
  expect(body.written).toEqual([WORD])
  expect(jest.getTimerCount()).toBe(0)
})

/** Reads a body that has begun with a word. */
function read({ takes }: { takes: boolean }) {
  const written: Uint8Array[] = []
  let source!: BodyWriter
  const body: PushedBody = {
    writeTo(writer) {
      source = writer
      writer.write(WORD)
      return { ready() {}, gone() {} }
    },
  }
  const reader = withComments(body, {
    text: COMMENT,
    intervalMs: INTERVAL_MS,
    isAwaited: () => true,
  }).writeTo({
    write(bytes) {
      written.push(bytes)
      return takes
    },
    end() {},
    fail() {},
  })
  return { source, reader, written }
}
