import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { estimateTokens } from '@/lib/catalogue/domain/estimate-tokens'
import { countTokenQuarters, findValue } from './json-bytes'

const CONTENT = Buffer.from('"content"')

/** As Python's json.dumps writes it: everything beyond ASCII escaped. */
function escapeNonAscii(json: string): string {
  return json.replaceAll(/[\u0080-\uffff]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function quarters(json: string): number {
  return countTokenQuarters(Buffer.from(json), CONTENT)
}

describe('reading JSON by its bytes', () => {
  test('a key inside of a text is not a key', () => {
    const bytes = Buffer.from(JSON.stringify({ text: 'say "content": "x"', more: ['content'] }))
    expect(findValue(bytes, CONTENT, 0)).toBe(-1)
  })

  test('null, numbers and objects count nothing', () => {
    expect(quarters('{"content":null,"a":{"content":5,"content":{"x":"y"}}}')).toBe(0)
  })

  test('a text cut off in the middle counts what is there', () => {
    expect(quarters('{"content":"abc')).toBe(3)
    expect(quarters('{"content":"abc\\')).toBeGreaterThanOrEqual(3)
  })

  test('counts as the estimate over the decoded text does, with and without escapes', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 5 }), fc.nat(2), (texts, space) => {
        const json = JSON.stringify(
          texts.map(content => ({ delta: { content } })),
          null,
          space,
        )
        const expected = texts.join('')
        expect(Math.ceil(quarters(json) / 4)).toBe(estimateTokens(expected))
        expect(Math.ceil(quarters(escapeNonAscii(json)) / 4)).toBe(estimateTokens(expected))
      }),
    )
  })
})
