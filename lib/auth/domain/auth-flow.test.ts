import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { decodeAuthFlow, encodeAuthFlow } from './auth-flow'

describe('what is remembered of a sign-in', () => {
  test('is nothing when there is no cookie', () => {
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
  ])('returns to the account page when the cookie is %j', cookie => {
    expect(decodeAuthFlow(cookie)).toEqual({ returnPath: '/account', email: null })
  })

  test('survives the cookie, whatever the address is written in', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), email => {
        const cookie = encodeAuthFlow({ returnPath: '/de?a=1', email })
        expect(cookie).toMatch(/^[A-Za-z0-9_-]+$/)
        expect(decodeAuthFlow(cookie)).toEqual({ returnPath: '/de?a=1', email })
      }),
    )
  })

  test('a cookie of anything never throws and never leads away', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), cookie => {
        expect(decodeAuthFlow(cookie)?.returnPath).toMatch(/^\/(?!\/)/)
      }),
    )
  })
})
