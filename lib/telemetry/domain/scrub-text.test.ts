import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { CREDENTIAL_HEADERS } from '@/lib/http/credential'
import { endsInTime } from '@/test/support/ends-in-time'
import { scrubText } from './scrub-text'
import { SECRET_FORMS } from './testing'

/** What may surround a secret: ends of words and punctuation, never a letter that would be part of it. */
const beside = fc.constantFrom(
  '',
  ' ',
  '\n',
  '"',
  "'",
  '(',
  ')',
  ': ',
  '=',
  ', ',
  '> ',
  'failed: ',
  '\t',
  '/',
)

describe('a scrubbed text keeps no', () => {
  test.each(Object.entries(SECRET_FORMS))('%s', (_form, secrets) => {
    fc.assert(
      fc.property(secrets, beside, beside, ({ text, secret }, before, after) => {
        const scrubbed = scrubText(`Error ${before}${text}${after} happened`)
        expect(scrubbed.toLowerCase()).not.toContain(secret.toLowerCase())
        expect(scrubText(text).toLowerCase()).not.toContain(secret.toLowerCase())
      }),
      { numRuns: 300 },
    )
  })

  test('a secret among others', () => {
    const any = fc.oneof(...Object.values(SECRET_FORMS))
    fc.assert(
      fc.property(fc.array(any, { minLength: 2, maxLength: 4 }), secrets => {
        const scrubbed = scrubText(secrets.map(({ text }) => text).join(' and '))
        for (const { secret } of secrets) expect(scrubbed).not.toContain(secret)
      }),
    )
  })

  test('a secret that is cut by the length limit', () => {
    const before = `x?a=${'b'.repeat(7_970)} `
    for (let cut = 0; cut < 25; cut += 1) {
      const scrubbed = scrubText(`${before}${' '.repeat(cut)}0b0e7c9e-5d3c-4a53-9d5c-2f1d5f3f6a01`)
      expect(scrubbed.trim()).toBe('x?[query]')
    }
  })
})

// One rule each, in a form that no other rule matches.
test.each([
  ['nostr+walletconnect://wallet?relay', '[wallet]'],
  ['nostrwalletconnect:abc', '[wallet]'],
  ['walletconnect://abc', '[wallet]'],
  ['postgres://owner:word@db/postgres', '[address]'],
  ['https://owner:word@host/path', 'https://host/path'],
  ['Basic d29yZA==', 'Basic [secret]'],
  ['bearer abc', 'bearer [secret]'],
  ['Cookie: a=b; c=d', 'Cookie: [secret]'],
  ...CREDENTIAL_HEADERS.map(name => [`{"${name}":"abc"}`, `{"${name}":"[secret]"}`] as const),
  ['password=abc', 'password=[secret]'],
  ['/refill#abc', '/refill#[fragment]'],
  ['GET /de/c/letter-to-anna: 500', 'GET /de/c/[conversation]: 500'],
  ['/top-up?a=b', '/top-up?[query]'],
  ['eyJh.b', '[token]'],
  ['lnbcabcdefghijklmnopqrst', '[invoice]'],
  ['npubabcdefghijklmnopqrst', '[invoice]'],
  ['JSON Parse error: Unexpected identifier "abc"', 'JSON Parse error: Unexpected identifier [text]'],
  ['Ab1'.repeat(8), '[token]'],
  ['ab1/'.repeat(8), 'ab1/'.repeat(8)],
])('%s becomes %s', (text, scrubbed) => {
  expect(scrubText(text)).toBe(scrubbed)
})

test('the first segment of a credit_id stays', () => {
  expect(scrubText('account 0b0e7c9e-5d3c-4a53-9d5c-2f1d5f3f6a01 is unknown')).toBe(
    'account 0b0e7c9e-… is unknown',
  )
})

test.each([
  'Failed to fetch',
  'insufficient_credit',
  "Cannot read properties of undefined (reading 'usage')",
  'POST /v1/chat/completions: 502 Bad Gateway',
  'http://127.0.0.1:3000/_next/static/chunks/012d1u9nat4-c.js',
  'node_modules/@sentry/nextjs/build/index.js',
  'Minified React error #418; visit the docs for the full message',
  'The stream broke off while the answer was read, and could not be resumed',
  'at async Promise.all (index 0)',
  '2026-11-20T16:43:34.404Z',
])('useful text stays unchanged: %s', text => {
  expect(scrubText(text)).toBe(text)
})

test('scrubbing twice changes nothing, and the result is limited in length', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ maxLength: 300 }), fc.constant('word '.repeat(5_000))), text => {
      const once = scrubText(text)
      expect(once.length).toBeLessThanOrEqual(1_000)
      expect(scrubText(once).length).toBeLessThanOrEqual(1_000)
    }),
  )
})

describe('a hostile text does not keep the server busy', () => {
  test('however long it is, since only its beginning is searched', () => {
    expect(endsInTime(() => scrubText('" '.repeat(1_000_000)))).toContain('"')
  })

  test('with a long word just before it is cut', () => {
    const text = `${'x'.repeat(7_990)}${' '.repeat(100)}`
    const scrubOften = () => Array.from({ length: 1_000 }, () => scrubText(text))
    expect(new Set(endsInTime(scrubOften))).toEqual(new Set(['x'.repeat(1_000)]))
  })

  test('with the beginnings of what is looked for', () => {
    const words = "a a. A1 0 ' ? ?a # cookie basic eyJ. sk lnbc 0b0e7c9e-".split(' ')
    const texts = words.map(word => word.repeat(8_000 / word.length))
    const scrubOften = () => Array.from({ length: 30 }, () => texts.map(scrubText)).length
    expect(endsInTime(scrubOften)).toBe(30)
  })
})
