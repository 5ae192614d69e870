import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { anyCharacter } from '@/test/support/any-character'
import { decodeAuthFlow, encodeAuthFlow } from './auth-flow'

describe('the cookie of a started sign-in', () => {
  test('is read as null if absent', () => {
    expect(decodeAuthFlow(undefined)).toBeNull()
  })

  test.each([
    '',
    'bnVsbA',
    'W10',
    '5',
    '***',
    '%%%',
    encodeAuthFlow({ returnPath: '//evil.example', email: null }),
  ])('returns to the account page if it is %j', cookie => {
    expect(decodeAuthFlow(cookie)).toEqual({ returnPath: '/account#sign-in', email: null })
  })

  test('keeps return path and email address in any script', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), email => {
        const cookie = encodeAuthFlow({ returnPath: '/de?a=1', email })
        expect(cookie).toMatch(/^[A-Za-z0-9_-]+$/)
        expect(decodeAuthFlow(cookie)).toEqual({ returnPath: '/de?a=1', email })
      }),
    )
  })

  test('never throws and never leads to another site, whatever it contains', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), cookie => {
        expect(decodeAuthFlow(cookie)?.returnPath).toMatch(/^\/(?!\/)/)
      }),
    )
  })
})
