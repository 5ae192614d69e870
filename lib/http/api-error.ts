/**
 * The closed set of errors that the public API answers with, each with its status and OpenAI's error type.
 * `messages/*.json` has a sentence for each code under `errors`.
 */
const API_ERRORS = {
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

/** For the checks that every code is translated and described. */
export const API_ERROR_CODES: readonly string[] = Object.keys(API_ERRORS)

export interface ApiErrorOptions {
  param?: string
  /** Extra fields beside the standard four, such as `required_usd`. */
  details?: Record<string, unknown>
  headers?: Record<string, string>
  /** Overrides the code's own status: an upstream's 400 for a bad tool schema, for example, passes through. */
  status?: number
  cause?: unknown
}

/** From the process-wide registry, so that every copy of this module has the same symbol. */
const BRAND: unique symbol = Symbol.for('tuppence.ApiError')

export class ApiError extends Error {
  /**
   * Next bundles the instrumentation, which opens the services, apart from the routes. Each bundle has its own copy of
   * this class, and must recognise the other's errors.
   */
  static override [Symbol.hasInstance](value: unknown): value is ApiError {
    return typeof value === 'object' && value !== null && BRAND in value
  }

  readonly [BRAND] = true
  override readonly name = 'ApiError'
  readonly code: ApiErrorCode
  readonly status: number
  readonly type: string
  readonly param: string | null
  readonly details: Record<string, unknown>
  readonly headers: Record<string, string>

  constructor(code: ApiErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message, { cause: options.cause })
    this.code = code
    this.status = options.status ?? API_ERRORS[code].status
    this.type = API_ERRORS[code].type
    this.param = options.param ?? null
    this.details = options.details ?? {}
    this.headers = options.headers ?? {}
  }

  /** `{"error": {message, type, code, param}}`: what OpenAI's SDKs parse. */
  toBody(): { error: Record<string, unknown> } {
    return {
      error: { message: this.message, type: this.type, code: this.code, param: this.param, ...this.details },
    }
  }
}

/** An invalid field of the request; '' for the request as a whole. */
export function invalidField(param: string, problem = 'unexpected value', whole = 'The body'): ApiError {
  return new ApiError('invalid_request', `${param || whole} is not valid: ${problem}.`, {
    param: param || undefined,
  })
}
