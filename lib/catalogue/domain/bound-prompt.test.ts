import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { boundPrompt, utf8ByteCount } from './bound-prompt'

const user = (content: unknown) => ({ messages: [{ role: 'user', content }] })

describe('the bound of a prompt', () => {
  test('is at least its bytes of UTF-8', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        return boundPrompt(user(text), null).tokenCountMax >= Buffer.byteLength(text)
      }),
    )
  })

  test('counts tools, names and nested values', () => {
    const bare = boundPrompt(user('Hi'), null).tokenCountMax
    const tools = [{ type: 'function', function: { name: 'weather', parameters: { city: 'x'.repeat(100) } } }]
    expect(boundPrompt({ ...user('Hi'), tools }, null).tokenCountMax).toBeGreaterThan(bare + 100)
  })

  test('counts a picture by a constant, however large its data', () => {
    const picture = (data: string) => user([{ type: 'image_url', image_url: { url: data } }])
    const small = boundPrompt(picture('https://example.com/a.png'), null)
    expect(boundPrompt(picture(`data:image/png;base64,${'A'.repeat(100_000)}`), null)).toEqual(small)
    expect(small.imageCount).toBe(1)
  })

  test('is not fooled by text that calls itself a picture', () => {
    const text = 'x'.repeat(50_000)
    const message = { messages: [{ role: 'user', type: 'image_url', content: text, image_url: text }] }
    expect(boundPrompt(message, null).tokenCountMax).toBeGreaterThan(100_000)
    const part = user([{ type: 'image_url', image_url: { url: 'a' }, text }])
    expect(boundPrompt(part, null).tokenCountMax).toBeGreaterThan(50_000)
  })

  test.each([
    ['behind an address', { type: 'file', file: { file_data: 'https://example.com/a.pdf' } }],
    ['uploaded before', { type: 'file', file: { file_id: 'file-1' } }],
    ['in the request', { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0=' } }],
    ['in a shape of other APIs', { type: 'document', source: { type: 'base64', data: 'JVBERi0=' } }],
    ['with a role beside it', { type: 'input_file', role: 'user', file_data: 'JVBERi0=' }],
    [
      'that calls itself a picture',
      { type: 'image_url', image_url: { url: 'data:application/pdf;base64,A' } },
    ],
    ['that does so briefly', { type: 'input_image', image_url: ' DATA:text/plain,A' }],
  ])('is the whole context for a file %s, for nobody knows what it unfolds to', (_, part) => {
    expect(boundPrompt(user([part]), 64_000).tokenCountMax).toBe(64_000)
    expect(boundPrompt(user([part]), null).tokenCountMax).toBe(200_000)
  })

  test('of a megabyte of PDF is no more than the context, so that a small model stays cheap', () => {
    const file = { file_data: `data:application/pdf;base64,${'A'.repeat(1_400_000)}` }
    expect(boundPrompt(user([{ type: 'file', file }]), 128_000).tokenCountMax).toBe(128_000)
  })

  test('never passes the context', () => {
    expect(boundPrompt(user('x'.repeat(10_000)), 4_000).tokenCountMax).toBe(4_000)
  })

  test('survives a body nested deeper than the call stack', () => {
    let nested: unknown = 'end'
    for (let depth = 0; depth < 200_000; depth += 1) nested = [nested]
    expect(boundPrompt(nested, null)).toEqual({ tokenCountMax: 3, imageCount: 0 })
  })
})

test('bytes are counted as the encoder counts them', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      text => utf8ByteCount(text) === new TextEncoder().encode(text).length,
    ),
  )
  // A lone surrogate is written as the three bytes of U+FFFD.
  expect(utf8ByteCount('\ud800a\udc00')).toBe(7)
})
