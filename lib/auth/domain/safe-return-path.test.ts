import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { safeReturnPath } from './safe-return-path'

const ELSEWHERE = [
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '\t//evil.example',
  ' //evil.example',
  '@evil.example',
  'evil.example',
  'https://evil.example',
  'https:evil.example',
  'javascript:alert(1)',
  'data:text/html,x',
  '/%2fevil.example',
  '/%2F/evil.example',
  '/%5cevil.example',
  '/%252fevil.example',
  '/%09/evil.example',
  '/%0a/evil.example',
  '/..//evil.example',
  '/.//evil.example',
  '/../%2fevil.example',
  '/a/..//evil.example',
  '/%2e%2e//evil.example',
  '/%',
  '/auth/sign-out',
  '/auth/callback?code=1',
  '/x/../auth/sign-out',
  '',
  `/${'a'.repeat(600)}`,
]

describe('the return path after signing in', () => {
  test.each(ELSEWHERE)('is not %j', candidate => {
    expect(safeReturnPath(candidate, '/account')).toBe('/account')
  })

  test.each([null, undefined, 5, ['/a'], { toString: () => '/a' }])(
    'is not %p, which is not a string',
    candidate => {
      expect(safeReturnPath(candidate, '/account')).toBe('/account')
    },
  )

  test.each(['/', '/account', '/de/account?tab=1&x=a%2Fb#factors', '/top-up?amount=5', '/a@b', '/?next=//x'])(
    'may be %j',
    candidate => {
      expect(safeReturnPath(candidate, '/fallback')).toBe(candidate)
    },
  )

  const hostile = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          '/',
          '\\',
          '@',
          ':',
          '%2f',
          '%5c',
          '%252f',
          '\t',
          '\n',
          '\r',
          '.',
          '..',
          '//',
          '?',
          '#',
          'evil.example',
          'https:',
          '\u0000',
          '\ufeff',
          '。',
        ),
        fc.string({ maxLength: 3 }),
      ),
      { maxLength: 8 },
    )
    .map(parts => parts.join(''))

  test('stays on the site for any input, however browsers read the result', () => {
    fc.assert(
      fc.property(hostile, candidate => {
        const path = safeReturnPath(candidate, '/')
        for (const reading of [
          path,
          decodeURIComponent(path.split(/[?#]/)[0] ?? ''),
          path.replace(/[\t\r\n]/g, ''),
        ]) {
          expect(new URL(reading, 'https://site.example/auth/callback').origin).toBe('https://site.example')
          expect(new URL(reading, 'http://site.example').host).toBe('site.example')
        }
      }),
      { numRuns: 5000 },
    )
  })
})
