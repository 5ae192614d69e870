import { describe, expect, test } from '@jest/globals'
import { decodeEntities } from './decode-entities'
import { isInlineImage, namesPlace, readLinkTarget, readRemoteImage } from './link-target'

describe('links', () => {
  test.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'javascript&colon;alert(1)',
    'vbscript:x',
    'data:text/html,<script>alert(1)</script>',
    'data:image/svg+xml,<svg onload=alert(1)>',
    'file:///etc/passwd',
    'blob:https://example.org/1',
    '/top-up',
    '//evil.example',
    '#top',
    'https://bank.example@evil.example',
    `https://example.org/${'a'.repeat(3_000)}`,
    `https://${'a.'.repeat(150)}example`,
    `mailto:${'a'.repeat(300)}@example.org`,
    '',
  ])('%j is not accepted as a link', href => {
    expect(readLinkTarget(decodeEntities(href))).toBeNull()
  })

  test('a scheme in character references is checked after decoding', () => {
    expect(readLinkTarget(decodeEntities('&#106;avascript&#58;alert(1)'))).toBeNull()
  })

  test.each([
    ['https://example.org/a?b#c', 'example.org'],
    ['http://localhost:3000', 'localhost:3000'],
    ['https://pаypal.com', 'xn--pypal-4ve.com'],
    ['mailto:a@example.org', 'a@example.org'],
  ])('%s is shown as leading to %s', (href, place) => {
    expect(readLinkTarget(href)?.place).toBe(place)
  })

  test('link text that names another host does not count as naming its target', () => {
    const target = readLinkTarget('https://evil.example/bank.example')
    if (!target) throw new Error('a web address')
    expect(namesPlace('https://bank.example', target)).toBe(false)
    expect(namesPlace('bank.example', target)).toBe(false)
    expect(namesPlace('evil.example', target)).toBe(true)
    expect(namesPlace('https://evil.example/bank.example', target)).toBe(true)
  })
})

describe('images', () => {
  test.each([
    'data:image/svg+xml;base64,AAAA',
    'data:text/html;base64,AAAA',
    'data:image/png,raw',
    'https://a.b',
  ])('%s is not an inline picture that is safe to show', href => {
    expect(isInlineImage(href)).toBe(false)
  })

  test('an inline picture of normal size is shown, a remote one only has an address', () => {
    expect(isInlineImage('data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB')).toBe(true)
    const head = Buffer.alloc(24)
    head.write('89504e47', 'hex')
    head.writeUInt32BE(20_000, 16)
    head.writeUInt32BE(20_000, 20)
    expect(isInlineImage(`data:image/png;base64,${head.toString('base64')}`)).toBe(false)
    expect(readRemoteImage('https://a.example/x.png')?.place).toBe('a.example')
    expect(readRemoteImage('mailto:a@b.c')).toBeNull()
  })
})

describe('character references', () => {
  test.each([
    ['&lt;script&gt; &amp;amp;', '<script> &amp;'],
    ['&#x41;&#66;', 'AB'],
    ['&#0;&#x110000;', '\ufffd\ufffd'],
    ['&unknown; & &;', '&unknown; & &;'],
  ])('%s is decoded to %s', (written, read) => {
    expect(decodeEntities(written)).toBe(read)
  })
})
