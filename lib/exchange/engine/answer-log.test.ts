import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { streamOf } from '@/lib/http/direct-response'
import { BLOCK_BYTES, createAnswerLog, createAnswerLogs } from './answer-log'

const onGone = () => {}
const event = (text: string) => Buffer.from(`data: ${text}\n\n`)

function read(log: ReturnType<typeof createAnswerLog>, afterEvent: number): Promise<string> | null {
  const body = log.read({ afterEvent, onGone })
  return body && new Response(streamOf(body)).text()
}

describe('the log of an answer', () => {
  test('returns null for positions before its first event or after its last', () => {
    const log = createAnswerLog({ numbered: true })
    expect(log.read({ afterEvent: 1, onGone })).toBeNull()
    expect(log.events()).toEqual([])
  })

  test('gives every reader the same events, wherever it starts and however they were written', async () => {
    const text = fc.string({ maxLength: 4_000 }).map(value => value.replaceAll(/[\r\n]/g, ''))
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(text, { minLength: 1, maxLength: 9 }), { maxLength: 30 }),
        async writes => {
          const log = createAnswerLog({ numbered: true })
          const early = read(log, 0)
          for (const texts of writes) log.write(Buffer.concat(texts.map(event)))
          log.end()
          const expected = writes.flat().map((value, index) => `id: ${index + 1}\n${event(value)}`)
          expect(await early).toBe(expected.join(''))
          for (const after of [0, 1, Math.floor(expected.length / 2), expected.length]) {
            if (after <= expected.length) expect(await read(log, after)).toBe(expected.slice(after).join(''))
          }
          expect(log.events()?.map(String)).toEqual(expected)
        },
      ),
      { numRuns: 50 },
    )
  })

  test('compresses past events, except images', async () => {
    const log = createAnswerLog({ numbered: false })
    const pieces = [
      ...Array.from({ length: 3_000 }, (_, index) => `piece ${index}`),
      'x'.repeat(4 * BLOCK_BYTES),
      'end',
    ]
    for (const piece of pieces) log.write(event(piece))
    log.end()
    expect(await read(log, 0)).toBe(pieces.map(piece => `data: ${piece}\n\n`).join(''))
  })

  test('drops its oldest events beyond the limit, and cuts off a reader that still needs them', async () => {
    const log = createAnswerLog({ numbered: true, bytesMax: 2 * BLOCK_BYTES })
    const lost = read(log, 0)
    const piece = event('x'.repeat(BLOCK_BYTES / 4))
    for (let count = 0; count < 40; count += 1) log.write(piece)
    log.end()
    await expect(lost).rejects.toThrow('has fallen too far behind')
    expect(log.read({ afterEvent: 0, onGone })).toBeNull()
    expect(log.events()).toBeNull()
    expect(await read(log, 39)).toContain('id: 40\n')
  })

  test('drops its oldest events if it is the largest log, and an ended log without readers does not count', async () => {
    const logs = createAnswerLogs(10 * BLOCK_BYTES)
    const picture = event('x'.repeat(4 * BLOCK_BYTES))
    const [over, other, largest] = [0, 1, 2].map(() => createAnswerLog({ numbered: true, logs }))
    over?.write(picture)
    over?.end()
    for (const log of [largest, other, largest]) log?.write(picture)
    const firstOf = (log = over) => log?.read({ afterEvent: 0, onGone })
    expect([firstOf(over), firstOf(largest), firstOf(other)]).toEqual([
      expect.anything(),
      null,
      expect.anything(),
    ])
    expect(largest?.events()).toBeNull()
    expect(largest?.read({ afterEvent: 1, onGone })).not.toBeNull()
  })

  test('that broke off breaks off for every reader, and is not kept', async () => {
    const log = createAnswerLog({ numbered: true })
    log.write(event('a'))
    const early = read(log, 0)
    log.fail(new Error('The model left.'))
    await expect(early).rejects.toThrow('The model left.')
    await expect(read(log, 0)).rejects.toThrow('The model left.')
    expect(log.events()).toBeNull()
  })

  test('without numbers is given whole, after whatever event', async () => {
    const log = createAnswerLog({ numbered: false })
    log.write(event('a'))
    log.end()
    expect(await read(log, 1)).toBe('data: a\n\n')
  })

  test('removes the upstream’s own event ids', async () => {
    const log = createAnswerLog({ numbered: true })
    log.write(Buffer.from('id: 900\ndata: a\n\nid:901\r\ndata: b\r\n\r\n'))
    log.end()
    expect(await read(log, 0)).toBe('id: 1\ndata: a\n\nid: 2\ndata: b\r\n\r\n')
  })

  test('reports a reader that leaves before the end, once', async () => {
    const log = createAnswerLog({ numbered: false })
    let goneCount = 0
    const body = log.read({ afterEvent: 0, onGone: () => (goneCount += 1) })
    if (body) await streamOf(body).cancel()
    log.write(event('a'))
    log.end()
    expect(goneCount).toBe(1)
  })
})
