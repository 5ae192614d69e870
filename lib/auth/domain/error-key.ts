import { asText, fieldsOf } from '@/lib/http/domain/is-object'

/**
 * Error codes of the auth service and its library, with their keys of `auth.errors` in the messages. The codes are the
 * service's own (https://github.com/supabase/auth/blob/master/internal/api/apierrors/errorcode.go); several that call
 * for the same reaction share a message.
 */
const KEYS_BY_CODE: Record<string, string> = {
  anonymous_provider_disabled: 'notEnabled',
  bad_code_verifier: 'flowNotFound',
  bad_jwt: 'sessionEnded',
  bad_oauth_callback: 'providerFailed',
  bad_oauth_state: 'flowNotFound',
  captcha_failed: 'captchaFailed',
  conflict: 'busy',
  email_address_invalid: 'emailInvalid',
  email_address_not_authorized: 'emailNotAllowed',
  email_conflict_identity_not_deletable: 'identityInUse',
  email_exists: 'emailTaken',
  email_not_confirmed: 'emailNotConfirmed',
  email_provider_disabled: 'notEnabled',
  feature_disabled: 'notEnabled',
  flow_state_already_used: 'flowNotFound',
  flow_state_expired: 'flowExpired',
  flow_state_not_found: 'flowNotFound',
  identity_already_exists: 'identityTaken',
  identity_not_found: 'notFound',
  insufficient_aal: 'secondFactorNeeded',
  invalid_jwt: 'sessionEnded',
  manual_linking_disabled: 'notEnabled',
  mfa_challenge_expired: 'challengeExpired',
  mfa_factor_name_conflict: 'factorNameTaken',
  mfa_factor_not_found: 'notFound',
  mfa_ip_address_mismatch: 'challengeExpired',
  mfa_phone_enroll_not_enabled: 'notEnabled',
  mfa_phone_verify_not_enabled: 'notEnabled',
  mfa_recovery_codes_locked: 'tooManyAttempts',
  mfa_totp_enroll_not_enabled: 'notEnabled',
  mfa_totp_verify_not_enabled: 'notEnabled',
  mfa_verification_failed: 'codeWrong',
  mfa_verification_rejected: 'codeWrong',
  mfa_verified_factor_exists: 'factorExists',
  mfa_webauthn_enroll_not_enabled: 'notEnabled',
  mfa_webauthn_verify_not_enabled: 'notEnabled',
  no_authorization: 'sessionEnded',
  oauth_client_state_expired: 'flowExpired',
  oauth_client_state_not_found: 'flowNotFound',
  oauth_invalid_state: 'flowNotFound',
  oauth_provider_not_supported: 'notEnabled',
  otp_disabled: 'signUpClosed',
  otp_expired: 'codeExpired',
  over_email_send_rate_limit: 'tooManyMessages',
  over_request_rate_limit: 'tooManyAttempts',
  over_sms_send_rate_limit: 'tooManyMessages',
  passkey_disabled: 'notEnabled',
  phone_exists: 'phoneTaken',
  phone_provider_disabled: 'notEnabled',
  pkce_code_verifier_not_found: 'flowNotFound',
  provider_disabled: 'notEnabled',
  provider_email_needs_verification: 'emailNotConfirmed',
  reauthentication_needed: 'sessionEnded',
  refresh_token_already_used: 'sessionEnded',
  refresh_token_not_found: 'sessionEnded',
  request_timeout: 'unreachable',
  session_expired: 'sessionEnded',
  session_not_found: 'sessionEnded',
  // Ours: see `createServiceFetch`.
  session_too_large: 'sessionTooLarge',
  signup_disabled: 'signUpClosed',
  single_identity_not_deletable: 'lastIdentity',
  sms_send_failed: 'smsFailed',
  too_many_enrolled_mfa_factors: 'tooManyFactors',
  too_many_passkeys: 'tooManyFactors',
  unexpected_audience: 'sessionEnded',
  user_already_exists: 'emailTaken',
  user_banned: 'banned',
  user_not_found: 'sessionEnded',
  webauthn_challenge_expired: 'challengeExpired',
  webauthn_challenge_not_found: 'challengeExpired',
  webauthn_credential_exists: 'factorExists',
  webauthn_credential_not_found: 'passkeyUnknown',
  webauthn_verification_failed: 'passkeyUnknown',
}

/** Errors that the library throws without a code, by class name. */
const KEYS_BY_NAME: Record<string, string> = {
  AbortError: 'cancelled',
  NetworkError: 'cancelled',
  AuthInvalidTokenResponseError: 'unexpected',
  AuthRefreshDiscardedError: 'busy',
  AuthRetryableFetchError: 'unreachable',
  AuthSessionMissingError: 'sessionEnded',
  ChunkLoadError: 'unreachable',
  HostRewrittenError: 'hostRewritten',
  InvalidStateError: 'factorExists',
  NotAllowedError: 'cancelled',
  ServiceUnreachableError: 'unreachable',
  TimeoutError: 'unreachable',
  WebAuthnError: 'cancelled',
}

/** Errors that have neither a code nor a name of their own, by message. */
const KEYS_BY_MESSAGE: Record<string, string> = {
  // Some browsers let through a name of a domain that is not ASCII.
  'Unable to validate email address: invalid format': 'emailInvalid',
  'Browser does not support WebAuthn': 'webauthnMissing',
}

/**
 * "For security purposes, you can only request this after 51 seconds." The service rounds down, to 0 in the last second.
 * The limit of an hour tells no time.
 */
const WAIT_PATTERN = /after (\d{1,5}) seconds?/
/** Its message takes the number of seconds, which follow it after a space. */
const TOO_SOON = 'tooSoon'

/** The key of an error's message under `auth.errors`; unknown errors get the general one. */
export function authErrorKey(error: unknown): string {
  const fields = fieldsOf(error)
  const [code, name, message] = [asText(fields.code), asText(fields.name), asText(fields.message)]
  const seconds = code.endsWith('_send_rate_limit') ? WAIT_PATTERN.exec(message)?.[1] : undefined
  if (seconds !== undefined) return `${TOO_SOON} ${Number(seconds) + 1}`
  return own(KEYS_BY_CODE, code) ?? own(KEYS_BY_NAME, name) ?? own(KEYS_BY_MESSAGE, message) ?? 'unexpected'
}

/** An error passed on by a redirect: `error_code` from the auth service, `error` from the provider. */
export function redirectErrorKey(parameters: URLSearchParams): string | null {
  const code = parameters.get('error_code')
  const error = parameters.get('error')
  if (!code && !error) return null
  // The service itself has looked at the link, and the person has no code.
  if (code === 'otp_expired') return 'linkOver'
  return own(KEYS_BY_CODE, code ?? '') ?? (error === 'access_denied' ? 'cancelled' : 'providerFailed')
}

function own(table: Record<string, string>, key: string): string | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}

/** Keys used by our own routes and pages, in addition to those of the tables. */
const OWN_KEYS = [
  'phoneInvalid',
  'captchaMissing',
  'unexpected',
  'providerFailed',
  'linkElsewhere',
  'signedOutHereOnly',
  'halfConfirmed',
  'linkOver',
  'creditFollowed',
  'appCodeWrong',
  'smsCodeWrong',
  TOO_SOON,
  'signingKeys',
  'issuer',
]

/** All possible keys, for the check that every language has a message for each. A function, which no page contains. */
export function authErrorKeys(): string[] {
  const ofErrors = [KEYS_BY_CODE, KEYS_BY_NAME, KEYS_BY_MESSAGE].flatMap(keys => Object.values(keys))
  return [...new Set([...OWN_KEYS, ...ofErrors])].sort()
}
