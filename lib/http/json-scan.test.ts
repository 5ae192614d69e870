import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { anyCharacter } from '@/test/support/any-character'
import { encodeJson, JSON_DEPTH_MAX, JSON_VALUE_COUNT_MAX, JsonScan, parseScanned } from './json-scan'

const PIECE_COUNT_MAX = 100_000
const MEGABYTE = 1024 * 1024

/** Scans in pieces that end anywhere, like those of a connection. */
function scanned(bytes: Uint8Array, pieceBytes: number): JsonScan {
  const scan = new JsonScan()
  for (let at = 0; at < bytes.byteLength; at += pieceBytes) scan.push(bytes.subarray(at, at + pieceBytes))
  return scan
}

const parse = (text: string, pieceBytes = 1_000) =>
  parseScanned(Buffer.from(text), scanned(Buffer.from(text), pieceBytes))

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const many = (count: number, member: (index: number) => string) =>
  `[${Array.from({ length: count }, (_, index) => member(index)).join(',')}]`

describe('scanning a body before it is parsed', () => {
  test.each([
    ['empty objects', many(JSON_VALUE_COUNT_MAX, () => '{}')],
    ['empty lists', many(JSON_VALUE_COUNT_MAX, () => '[]')],
    ['strings', many(JSON_VALUE_COUNT_MAX, () => '""')],
    ['keys', `{${many(JSON_VALUE_COUNT_MAX, index => `"${index}":1`).slice(1, -1)}}`],
    ['numbers', many(8 * JSON_VALUE_COUNT_MAX, () => '1')],
    ['literals', many(8 * JSON_VALUE_COUNT_MAX, () => 'true')],
    ['short strings that are large together', many(3 * 1024, () => JSON.stringify('x'.repeat(1024)))],
    ['white space', `{${' '.repeat(3 * MEGABYTE)}}`],
    ['one number', `[${'1'.repeat(3 * MEGABYTE)}]`],
    ['a long key', JSON.stringify({ ['k'.repeat(4_096)]: 1 })],
    ['a long key followed by white space', `{"${'k'.repeat(4_096)}" \n :1}`],
    ['one level above the limit', nested(JSON_DEPTH_MAX + 1)],
    ['far more levels than the stack allows', nested(100_000)],
    ['endless depth', '['.repeat(JSON_DEPTH_MAX + 1)],
    ['depth in a field', `{"a":1,"b":{"c":${nested(JSON_DEPTH_MAX)}}}`],
  ])('refuses %s', (_name, text) => {
    const refusal = expect.objectContaining({ code: 'invalid_request', status: 400 })
    expect(() => scanned(Buffer.from(text), 64 * 1024)).toThrow(refusal)
  })

  test('refuses a body at the first value above the limit', () => {
    const scan = new JsonScan()
    const piece = Buffer.from('{},'.repeat(10_000))
    scan.push(Buffer.from('['))
    const push = () => {
      for (let count = 0; count < 1_000; count += 1) scan.push(piece)
    }
    expect(push).toThrow('too many JSON values')
  })
})

describe('parsing a body', () => {
  test.each([
    ['the greatest allowed depth', nested(JSON_DEPTH_MAX)],
    ['a wide but flat list', many(10_000, () => '{"a":1}')],
    ['brackets and commas in a string', JSON.stringify(['[{,'.repeat(JSON_VALUE_COUNT_MAX)])],
    ['a list of tokens', many(300_000, index => String(index % 100_000))],
    ['a picture', JSON.stringify({ a: 'QUJD'.repeat(MEGABYTE), b: '😀' })],
    ['a single long string', JSON.stringify('€"\\\n'.repeat(MEGABYTE / 8))],
    ['a string that ends with an escape', JSON.stringify({ a: `${'x'.repeat(MEGABYTE)}\\`, b: '"' })],
    ['a key named __proto__', `{"__proto__":"${'x'.repeat(MEGABYTE)}","a":1}`],
    ['a byte order mark', `\ufeff{"a":"${'x'.repeat(MEGABYTE)}"}`],
  ])('accepts %s', async (_name, text) => {
    expect(await parse(text, 64 * 1024)).toEqual(JSON.parse(text.replace(/^\ufeff/, '')))
  })

  test.each([4_096, 4_097])('reads escapes that end in another piece of %s bytes', async pieceBytes => {
    const text = JSON.stringify(['"'.repeat(MEGABYTE / 4), 'b'])
    expect(await parse(text, pieceBytes)).toEqual(JSON.parse(text))
  })

  test('gives the result of JSON.parse for any content and pieces', async () => {
    const characters = fc.constantFrom(
      'a',
      '"',
      '\\',
      '\n',
      '\u0000',
      'é',
      '€',
      '😀',
      '\ud83d',
      '\u2028',
      '/',
    )
    const longText = fc
      .tuple(fc.string({ unit: characters, minLength: 1, maxLength: 40 }), fc.nat(5))
      .map(([unit, power]) => unit.repeat(Math.ceil(3_000 / unit.length)).repeat(4 ** power))
    const value = fc.letrec(tie => ({
      any: fc.oneof({ depthSize: 'small' }, fc.jsonValue(), longText, tie('list'), tie('record')),
      list: fc.array(tie('any'), { maxLength: 4 }),
      record: fc.dictionary(fc.string({ maxLength: 5 }), tie('any'), { maxKeys: 4 }),
    })).any
    const isEscaped = fc.boolean()
    await fc.assert(
      fc.asyncProperty(
        value,
        isEscaped,
        fc.nat(2),
        fc.integer({ min: 1, max: 70_000 }),
        async (given, ...how) => {
          const [escapes, space, pieceBytes] = how
          // Longer than what is parsed at once.
          const json = JSON.stringify([given, 'x'.repeat(MEGABYTE / 4)], null, space)
          const text = escapes ? escapeNonAscii(json) : json
          // Megabytes in pieces of one byte would take minutes.
          const leastBytes = Math.ceil(text.length / PIECE_COUNT_MAX)
          expect(await parse(text, Math.max(pieceBytes, leastBytes))).toEqual(
            JSON.parse(Buffer.from(text).toString()),
          )
        },
      ),
      { numRuns: 40 },
    )
  })

  test.each([
    ['a line feed in a long string', `{"a":"${'x'.repeat(MEGABYTE)}\n"}`],
    ['an incomplete escape', `{"a":"${'x'.repeat(MEGABYTE)}\\u00"}`],
    ['an unknown escape', `{"a":"${'x'.repeat(MEGABYTE)}\\x"}`],
    ['an unterminated string', `{"a":"${'x'.repeat(MEGABYTE)}`],
    ['an escaped closing quote', `{"a":"${'x'.repeat(MEGABYTE)}\\"}`],
    ['two values', `"${'x'.repeat(MEGABYTE)}" {}`],
    ['a string in place of a comma', `["${'x'.repeat(MEGABYTE)}" "${'x'.repeat(MEGABYTE)}"]`],
  ])('refuses %s', async (_name, text) => {
    await expect(parse(text)).rejects.toThrow()
  })

  test.each([
    [
      'in a long string',
      Buffer.concat([Buffer.from(`["${'x'.repeat(MEGABYTE)}`), Buffer.from([0xff, 0x22, 0x5d])]),
    ],
    [
      'in a short string',
      Buffer.concat([Buffer.from(`["${'x'.repeat(MEGABYTE)}","`), Buffer.from([0xc3, 0x22, 0x5d])]),
    ],
  ])('refuses invalid UTF-8 %s', async (_name, bytes) => {
    await expect(parseScanned(bytes, scanned(bytes, 1_000))).rejects.toThrow()
  })
})

describe('writing JSON', () => {
  test('gives the result of JSON.stringify for long values of any kind', async () => {
    const text = fc.string({ unit: anyCharacter, maxLength: 20 })
    const value = fc.array(
      fc.oneof(
        fc.jsonValue(),
        text,
        text.map(unit => unit.repeat(2_000)),
      ),
      { maxLength: 6 },
    )
    await fc.assert(
      fc.asyncProperty(value, async given => {
        expect(JSON.parse((await encodeJson({ given })).toString())).toEqual(
          JSON.parse(JSON.stringify({ given })),
        )
      }),
      { numRuns: 40 },
    )
  })

  test('does not change its value', async () => {
    const long = 'x'.repeat(MEGABYTE)
    const value = Object.freeze({ a: Object.freeze([long, 1]), none: undefined, b: { c: long } })
    expect((await encodeJson(value)).toString()).toBe(JSON.stringify(value))
    expect(value.a[0]).toBe(long)
  })
})

test('reading and writing a large image lets other work run between the steps', async () => {
  const bytes = Buffer.from(JSON.stringify({ picture: 'QUJD'.repeat(5 * MEGABYTE), text: '😀' }))
  const scan = scanned(bytes, 64 * 1024)
  const [value, turnsOfParsing] = await countTurns(parseScanned(bytes, scan))
  const [written, turnsOfWriting] = await countTurns(encodeJson(value))
  expect(written.equals(bytes)).toBe(true)
  expect(turnsOfParsing).toBeGreaterThanOrEqual(20)
  expect(turnsOfWriting).toBeGreaterThanOrEqual(20)
})

async function countTurns<Result>(work: Promise<Result>): Promise<[Result, number]> {
  let turnCount = 0
  let isDone = false
  const counting = (async () => {
    while (!isDone) {
      await nextTurn()
      turnCount += 1
    }
  })()
  const result = await work
  isDone = true
  await counting
  return [result, turnCount]
}

/** Written like by Python’s json.dumps. */
function escapeNonAscii(json: string): string {
  return json.replaceAll(/[\u0080-\uffff]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
