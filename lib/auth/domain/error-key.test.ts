import { describe, expect, test } from '@jest/globals'
import { authErrorKey, redirectErrorKey } from './error-key'

describe('an error of the auth service', () => {
  test.each([
    null,
    undefined,
    'text',
    5,
    {},
    { code: 'from_the_future' },
    { code: 'constructor' },
    { name: 'toString' },
  ])('%p has the general error message', error => {
    expect(authErrorKey(error)).toBe('unexpected')
  })

  test.each([
    [{ name: 'AuthApiError', code: 'otp_expired' }, 'codeExpired'],
    [{ code: 'over_email_send_rate_limit', message: 'email rate limit exceeded' }, 'tooManyMessages'],
    [
      {
        code: 'over_email_send_rate_limit',
        message: 'For security purposes, you can only request this after 51 seconds.',
      },
      'tooSoon 52',
    ],
    [
      {
        code: 'over_sms_send_rate_limit',
        message: 'For security purposes, you can only request this after 0 seconds.',
      },
      'tooSoon 1',
    ],
    [
      {
        name: 'AuthApiError',
        code: 'validation_failed',
        message: 'Unable to validate email address: invalid format',
      },
      'emailInvalid',
    ],
    [{ name: 'AuthApiError', code: 'validation_failed', message: 'Something else' }, 'unexpected'],
    [{ name: 'AuthApiError', code: 'insufficient_aal' }, 'secondFactorNeeded'],
    [{ name: 'AuthApiError', code: 'single_identity_not_deletable' }, 'lastIdentity'],
    [{ name: 'AuthApiError', code: 'too_many_passkeys' }, 'tooManyFactors'],
    [{ name: 'AuthApiError', code: 'feature_disabled' }, 'notEnabled'],
    [{ name: 'AuthRetryableFetchError', code: undefined }, 'unreachable'],
    [{ name: 'AuthSessionMissingError', code: undefined }, 'sessionEnded'],
    [{ name: 'InvalidStateError', code: 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED' }, 'factorExists'],
    [{ name: 'AuthInvalidJwtError', code: 'invalid_jwt' }, 'sessionEnded'],
  ])('%p has its own error message', (error, key) => {
    expect(authErrorKey(error)).toBe(key)
  })
})

describe('an error in the query of the callback URL', () => {
  test.each([
    ['', null],
    ['code=1', null],
    ['error=access_denied', 'cancelled'],
    ['error=server_error&error_code=identity_already_exists', 'identityTaken'],
    ['error=server_error&error_code=<script>', 'providerFailed'],
    ['error=access_denied&error_code=user_banned', 'banned'],
    ['error=access_denied&error_code=otp_expired', 'linkOver'],
    ['error=invalid_request&error_code=flow_state_already_used', 'flowNotFound'],
    ['error=invalid_request&error_code=oauth_invalid_state', 'flowNotFound'],
    ['error=invalid_request&error_code=oauth_client_state_not_found', 'flowNotFound'],
    ['error=invalid_request&error_code=oauth_client_state_expired', 'flowExpired'],
  ])('has its error key: %j', (query, key) => {
    expect(redirectErrorKey(new URLSearchParams(query))).toBe(key)
  })
})
