import { describe, expect, test } from '@jest/globals'
import type { PushedBody } from '@/lib/http/direct-response'
import { type AnswerMemory, createAnswerMemory } from './answer-memory'
import { createReplayLimiter, keptAnswer } from './replays'

const MEGABYTE = 1024 * 1024
const onGone = () => {}
const busy = expect.objectContaining({ code: 'conflict', headers: { 'retry-after': '1' } })

function read(replayMemory: AnswerMemory, accountId: string, body: Buffer) {
  const head = { status: 200, headers: {}, numbered: false }
  const kept = { exchangeId: 'exchange', accountId, head, bodyAfter: () => body }
  return keptAnswer({ replayMemory }, kept).read({ afterEvent: 0, onGone })
}

/** One who takes a piece whenever he is ready. */
function slowReader(body: ReturnType<typeof read>) {
  const pieces: Uint8Array[] = []
  let isOver = false
  let isCutOff = false
  const write = (bytes: Uint8Array) => {
    pieces.push(bytes)
    return false
  }
  const end = () => {
    isOver = true
  }
  const fail = () => {
    isCutOff = true
  }
  const reading = (body as PushedBody).writeTo({ write, end, fail })
  return {
    leave: reading.gone,
    isCutOff: () => isCutOff,
    readAll(): Buffer {
      while (!isOver) reading.ready()
      return Buffer.concat(pieces)
    },
  }
}

describe('replayed answers', () => {
  test('use memory until their readers have finished or left', () => {
    const memory = createAnswerMemory(3 * MEGABYTE)
    const answer = Buffer.alloc(2 * MEGABYTE, 'vectors')
    const first = slowReader(read(memory, 'one', answer))
    expect(() => read(memory, 'one', answer)).toThrow(busy)
    expect(() => read(memory, 'other', answer)).toThrow(busy)
    // What a connection has room for is for everybody.
    expect(read(memory, 'other', Buffer.from('short'))).toEqual(new Uint8Array(Buffer.from('short')))
    expect(first.readAll().equals(answer)).toBe(true)
    const second = slowReader(read(memory, 'other', answer))
    second.leave()
    second.leave()
    expect(
      slowReader(read(memory, 'one', answer))
        .readAll()
        .equals(answer),
    ).toBe(true)
  })

  test('of one account leave memory for others, and may have any size if nobody else reads', () => {
    const memory = createAnswerMemory(8 * MEGABYTE)
    const picture = Buffer.alloc(3 * MEGABYTE)
    const reader = slowReader(read(memory, 'busy', picture))
    expect(() => read(memory, 'busy', picture)).toThrow(busy)
    slowReader(read(memory, 'other', Buffer.alloc(5 * MEGABYTE))).leave()
    reader.leave()
    expect(slowReader(read(memory, 'busy', Buffer.alloc(9 * MEGABYTE))).readAll()).toHaveLength(9 * MEGABYTE)
  })

  test('are cut off for a smaller one when memory is full', () => {
    const memory = createAnswerMemory(8 * MEGABYTE)
    const some = slowReader(read(memory, 'some', Buffer.alloc(3 * MEGABYTE)))
    const [large, small] = [3, 1].map(size => slowReader(read(memory, 'most', Buffer.alloc(size * MEGABYTE))))
    const answer = Buffer.alloc(2 * MEGABYTE, 'words')
    expect(
      slowReader(read(memory, 'newcomer', answer))
        .readAll()
        .equals(answer),
    ).toBe(true)
    expect([some, large, small].map(reader => reader?.isCutOff())).toEqual([false, true, false])
    large?.leave()
    expect(() => read(memory, 'heaviest', Buffer.alloc(9 * MEGABYTE))).toThrow(busy)
  })

  test('never displace an answer that is read for the first time', () => {
    const memory = createAnswerMemory(8 * MEGABYTE)
    const paid = slowReader(memory.readInPieces('payer', Buffer.alloc(7 * MEGABYTE, 'vectors'), false))
    expect(() => read(memory, 'other', Buffer.alloc(2 * MEGABYTE))).toThrow(busy)
    expect(paid.isCutOff()).toBe(false)
    expect(paid.readAll()).toHaveLength(7 * MEGABYTE)
  })

  test('are opened a few at a time, with a limit of waiting ones per account', async () => {
    const limiter = createReplayLimiter()
    const gate = Promise.withResolvers<void>()
    let openCount = 0
    const open = () =>
      limiter.run('one', async () => {
        openCount += 1
        await gate.promise
        return openCount
      })
    const opening = Array.from({ length: 8 }, open)
    expect(openCount).toBe(3)
    await expect(open()).rejects.toMatchObject({ code: 'conflict' })
    const other = limiter.run('other', async () => 'opened')
    gate.resolve()
    expect(await Promise.all([...opening, other])).toHaveLength(9)
    expect(openCount).toBe(8)
    expect(await open()).toBe(9)
  })
})
