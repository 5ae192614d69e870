import { API_ERRORS, type ApiErrorCode } from './domain/error-codes'
import { sharedError } from './domain/shared-error'

export interface ApiErrorOptions {
  param?: string
  /** Extra fields beside the standard four, such as `required_usd`. */
  details?: Record<string, unknown>
  headers?: Record<string, string>
  /** Overrides the code's own status: an upstream's 400 for a bad tool schema, for example, passes through. */
  status?: number
  /** Somebody may be guessing a secret; lib/api/route.ts counts how often. */
  isGuess?: boolean
  cause?: unknown
}

export class ApiError extends sharedError('ApiError') {
  readonly code: ApiErrorCode
  readonly status: number
  readonly type: string
  readonly param: string | null
  readonly details: Record<string, unknown>
  readonly headers: Record<string, string>
  readonly isGuess: boolean

  constructor(code: ApiErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message, { cause: options.cause })
    this.code = code
    this.status = options.status ?? API_ERRORS[code].status
    this.type = API_ERRORS[code].type
    this.param = options.param ?? null
    this.details = options.details ?? {}
    this.headers = options.headers ?? {}
    this.isGuess = options.isGuess ?? false
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
