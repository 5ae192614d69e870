/**
 * The closed set of errors that the public API answers with, each with its status and OpenAI's error type.
 * `messages/*.json` has a sentence for each code under `errors`.
 */
export const API_ERRORS = {
  invalid_request: { status: 400, type: 'invalid_request_error' },
  invalid_credential: { status: 401, type: 'authentication_error' },
  payment_required: { status: 402, type: 'insufficient_quota' },
  insufficient_credit: { status: 402, type: 'insufficient_quota' },
  price_above_limit: { status: 402, type: 'invalid_request_error' },
  key_limit_reached: { status: 403, type: 'permission_error' },
  forbidden: { status: 403, type: 'permission_error' },
  not_found: { status: 404, type: 'invalid_request_error' },
  model_not_found: { status: 404, type: 'invalid_request_error' },
  method_not_allowed: { status: 405, type: 'invalid_request_error' },
  idempotency_conflict: { status: 409, type: 'idempotency_error' },
  too_many_keys: { status: 409, type: 'invalid_request_error' },
  conflict: { status: 409, type: 'invalid_request_error' },
  request_too_large: { status: 413, type: 'invalid_request_error' },
  context_length_exceeded: { status: 400, type: 'invalid_request_error' },
  unprocessable: { status: 422, type: 'invalid_request_error' },
  rate_limited: { status: 429, type: 'rate_limit_error' },
  too_many_failures: { status: 429, type: 'rate_limit_error' },
  internal_error: { status: 500, type: 'server_error' },
  upstream_error: { status: 502, type: 'upstream_error' },
  payment_gateway_error: { status: 502, type: 'upstream_error' },
  ledger_unavailable: { status: 503, type: 'server_error' },
  upstream_timeout: { status: 504, type: 'upstream_error' },
} as const

export type ApiErrorCode = keyof typeof API_ERRORS
export type ApiErrorStatus = (typeof API_ERRORS)[ApiErrorCode]['status']

/** For the API's document, and the checks that every code is described in it and translated. */
export const API_ERROR_CODES: readonly string[] = Object.keys(API_ERRORS)

/** What a call of the API can end with on a page: each has a sentence under `errors`, too. */
export type CallErrorCode =
  | ApiErrorCode
  | 'credit_in_use'
  | 'network'
  | 'part_missing'
  | 'storage_full'
  | 'storage_refused'
  | 'unknown'
