import { describe, expect, test } from '@jest/globals'
import { requiredAssuranceLevel, toAuthUser } from './auth-user'
import { applySessionEvent, initialSessionState } from './session-state'

const ada = toAuthUser({ id: 'u1', email: 'ada@example.com', phone: '' })
const signedIn = { user: ada, loading: false, error: null }
const signedOut = { user: null, loading: false, error: null }

describe('the session state', () => {
  test.each(['SIGNED_IN', 'TOKEN_REFRESHED', 'USER_UPDATED', 'MFA_CHALLENGE_VERIFIED'])(
    'is set on %s',
    event => {
      expect(applySessionEvent({ user: null, loading: true, error: 'unexpected' }, event, ada)).toEqual(
        signedIn,
      )
    },
  )

  test('is cleared on SIGNED_OUT', () => {
    expect(applySessionEvent(signedIn, 'SIGNED_OUT', null)).toEqual(signedOut)
  })

  test('keeps the user on a second-factor event without one', () => {
    expect(applySessionEvent(signedIn, 'MFA_CHALLENGE_VERIFIED', null)).toEqual(signedIn)
  })

  test('is unchanged by unknown events', () => {
    expect(applySessionEvent(signedIn, 'PASSWORD_RECOVERY', null)).toBe(signedIn)
  })

  test('is loading only if the server could not verify the session', () => {
    expect(initialSessionState({ status: 'unknown' })).toEqual({ user: null, loading: true, error: null })
    expect(initialSessionState({ status: 'signed-out' })).toEqual(signedOut)
    expect(initialSessionState({ status: 'signed-in', user: ada })).toEqual(signedIn)
  })
})

describe('the assurance level', () => {
  const factor = { id: 'f1', factor_type: 'totp', friendly_name: 'Phone' }

  test('required is aal1 without a verified factor', () => {
    expect(requiredAssuranceLevel([])).toBe('aal1')
    const user = toAuthUser({ id: 'u1', factors: [{ ...factor, status: 'unverified' }] })
    expect(requiredAssuranceLevel(user.factors)).toBe('aal1')
  })

  test('required is aal2 with a verified factor', () => {
    const user = toAuthUser({
      id: 'u1',
      factors: [
        { ...factor, status: 'unverified' },
        { ...factor, status: 'verified' },
      ],
    })
    expect(requiredAssuranceLevel(user.factors)).toBe('aal2')
  })

  test('is not affected by unknown types of factors', () => {
    expect(
      toAuthUser({ id: 'u1', factors: [{ ...factor, factor_type: 'smoke-signal', status: 'verified' }] })
        .factors,
    ).toEqual([])
  })
})
