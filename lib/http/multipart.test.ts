import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { ApiError } from './api-error'
import { parseMultipart } from './multipart'

const TYPE = 'multipart/form-data; boundary=b'
const read = (text: string, type: string | null = TYPE) => parseMultipart(Buffer.from(text, 'latin1'), type)
const part = (head: string, content = 'value') => `--b\r\n${head}\r\n\r\n${content}\r\n`
const field = (name: string, content?: string) =>
  part(`Content-Disposition: form-data; name="${name}"`, content)
const END = '--b--\r\n'

describe('a form', () => {
  test('written by the platform is read back, whatever its values', async () => {
    const name = fc.stringMatching(/^[\w[\]]{1,20}$/)
    const bytes = fc.uint8Array({ maxLength: 200 })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, bytes), { maxLength: 10 }), async fields => {
        const form = new FormData()
        for (const [key, content] of fields) form.append(key, new Blob([new Uint8Array(content)]), 'a b.mp3')
        form.append('last', 'line\r\n--b')
        const request = new Request('http://site.test', { method: 'POST', body: form })
        const body = new Uint8Array(await request.arrayBuffer())
        const parts = parseMultipart(body, request.headers.get('content-type'))
        expect(
          parts.slice(0, -1).map(({ name: key, bytes: content }) => [key, Buffer.from(content)]),
        ).toEqual(fields.map(([key, content]) => [key, Buffer.from(content)]))
        expect(parts.at(-1)).toMatchObject({ name: 'last', contentType: null })
      }),
      { numRuns: 50 },
    )
  })

  test('of any bytes is either read or refused with an ApiError', () => {
    const pieces = fc.constantFrom('--b', '\r\n', '--', field('a'), 'content-disposition:', '"', 'x', END)
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 20 }), texts => {
        try {
          expect(Array.isArray(read(texts.join('')))).toBe(true)
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError)
        }
      }),
    )
  })

  test.each([
    ['no content type', field('a') + END, null],
    ['another content type', field('a') + END, 'application/json'],
    ['no boundary', field('a') + END, 'multipart/form-data'],
    ['an empty boundary', field('a') + END, 'multipart/form-data; boundary='],
    ['too long a boundary', field('a') + END, `multipart/form-data; boundary="${'b'.repeat(71)}"`],
    ['an empty body', '', TYPE],
    ['no closing boundary', field('a'), TYPE],
    ['a part without a name', part('Content-Disposition: form-data') + END, TYPE],
    ['a part that is no form data', part('Content-Disposition: attachment; name="a"') + END, TYPE],
    ['a part without headers', '--b\r\n\r\nvalue\r\n--b--', TYPE],
    ['too long a header', part(`x: ${'y'.repeat(5_000)}`) + END, TYPE],
    ['too many parts', field('a').repeat(41) + END, TYPE],
    ['a first boundary that does not start a line', `x${field('a')}${END}`, TYPE],
  ])('with %s is refused', (_, text, type) => {
    expect(() => read(text, type)).toThrow(expect.objectContaining({ code: 'invalid_request' }))
  })

  test('has names with escaped quotes, and none taken from a file name', () => {
    const nameOf = (disposition: string) =>
      read(part(`content-disposition: form-data; ${disposition}`) + END)[0]?.name
    expect(nameOf('name="a\\"b"; filename="f"')).toBe('a"b')
    expect(nameOf('filename="f"; name=a')).toBe('a')
    expect(() => nameOf('filename="f"')).toThrow(expect.objectContaining({ code: 'invalid_request' }))
  })

  test('may have a preamble, an empty value and values that look like a boundary', () => {
    const parts = read(`preamble\r\n${field('a', '')}${field('b', '--bb')}${field('c', '--c')}${END}epilogue`)
    expect(parts.map(({ name, bytes }) => [name, String(Buffer.from(bytes))])).toEqual([
      ['a', ''],
      ['b', '--bb'],
      ['c', '--c'],
    ])
  })
})
