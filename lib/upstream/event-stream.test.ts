import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { anyCharacter } from '@/test/support/any-character'
import {
  createEventCarry,
  EVENT_BYTES_MAX,
  EventTooLargeError,
  eventData,
  nextBoundary,
} from './event-stream'

const lineEnd = fc.constantFrom('\n', '\r\n')
const event = fc
  .tuple(fc.array(fc.string({ unit: anyCharacter, maxLength: 20 }), { maxLength: 3 }), lineEnd)
  .map(([lines, end]) => {
    const clean = lines.map(line => line.replaceAll(/[\r\n]/g, ''))
    return `${[...clean, 'x'].map(line => `data: ${line}${end}`).join('')}${end}`
  })

/** Cuts bytes at the given places, each of which may lie inside an event or a character. */
function cut(bytes: Buffer, places: number[]): Buffer[] {
  const ends = [...new Set(places.map(place => place % (bytes.length + 1)))].sort((a, b) => a - b)
  return [...ends, bytes.length].map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end))
}

describe('carrying unfinished events', () => {
  test('refuses an event that never ends', () => {
    const carry = createEventCarry()
    const piece = Buffer.alloc(EVENT_BYTES_MAX / 4, 'x')
    for (let index = 0; index < 4; index += 1) expect(carry.push(piece)).toBeNull()
    expect(() => carry.push(piece)).toThrow(EventTooLargeError)
  })

  test('passes on a chunk that ends with an event without a copy', () => {
    const chunk = Buffer.from('data: 1\n\ndata: 2\r\n\r\n')
    expect(createEventCarry().push(chunk)).toBe(chunk)
  })

  test('passes on only complete events, and every byte once, however they are cut', () => {
    fc.assert(
      fc.property(
        fc.array(event, { maxLength: 6 }),
        fc.array(fc.nat(), { maxLength: 12 }),
        (events, places) => {
          const bytes = Buffer.from(events.join(''))
          const carry = createEventCarry()
          const handedOn: string[] = []
          for (const piece of cut(bytes, places)) {
            const whole = carry.push(piece)
            if (whole) handedOn.push(whole.toString('latin1'))
          }
          expect(handedOn.join('')).toBe(bytes.toString('latin1'))
          for (const text of handedOn) expect(text).toMatch(/\n\r?\n$/)
          expect(carry.takeRest()).toBeNull()
        },
      ),
    )
  })

  test('normalises lines that end in a lone carriage return, however they are cut', () => {
    const ends = fc.array(fc.constantFrom('\n', '\r\n', '\r'), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(ends, fc.array(fc.nat(), { maxLength: 12 }), (ends, places) => {
        // A line feed behind a carriage return of its own would be one end of a line, not two.
        const text = ends.map(end => `data: x${end}: y${end}${end}`).join('id: 1\n')
        const carry = createEventCarry()
        const handedOn = cut(Buffer.from(text), places).map(piece => carry.push(piece)?.toString() ?? '')
        for (const whole of handedOn) expect(whole).toMatch(/^$|\n\r?\n$/)
        expect(handedOn.join('') + (carry.takeRest()?.toString() ?? '')).toBe(
          text.replaceAll(/\r(?!\n)/g, '\n'),
        )
      }),
    )
  })

  test('removes a byte order mark from the beginning alone, however it is cut', () => {
    const text = 'data: \ufeff1\n\n\ufeffdata: 2\n\n'
    for (const place of [1, 2, 3, 4, 12]) {
      const carry = createEventCarry()
      const pieces = cut(Buffer.from(`\ufeff${text}`), [place])
      expect(pieces.map(piece => carry.push(piece)?.toString() ?? '').join('')).toBe(text)
    }
    const carry = createEventCarry()
    carry.push(Buffer.from('\ufeffdata: 1\n'))
    expect(carry.takeRest()?.toString()).toBe('data: 1\n')
  })

  test('returns an unfinished event at the end', () => {
    const carry = createEventCarry()
    expect(carry.push(Buffer.from('data: 1\n\ndata: 2\n'))?.toString()).toBe('data: 1\n\n')
    expect(carry.takeRest()?.toString()).toBe('data: 2\n')
    expect(carry.takeRest()).toBeNull()
  })
})

test('complete events are split at their ends, whatever line ends they use', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 6 }), events => {
      const bytes = Buffer.from(events.join(''))
      const found: string[] = []
      for (let start = 0; start < bytes.length; ) {
        const end = nextBoundary(bytes, start)
        found.push(bytes.toString('utf8', start, end))
        start = end
      }
      expect(found).toEqual(events)
    }),
  )
})

test.each([
  ['data: a\ndata:b\r\ndata:  c\n\n', 'a\nb\n c'],
  ['data:\ndata: a\n\n', '\na'],
  [': comment\nevent: ping\r\n\r\n', ''],
  ['data: never closed', 'never closed'],
])('the data of %j', (text, data) => {
  expect(eventData(Buffer.from(text))).toBe(data)
})
