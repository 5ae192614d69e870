import 'server-only'
import { ApiError } from '@/lib/http/api-error'
import { hashSecret } from '@/lib/http/credential'
import type { ExchangeDetail } from '@/lib/ledger/domain/usage'
import { NANO_MAX, type Nano, parseNano } from '@/lib/money/nano'
import { IDEMPOTENCY_KEY_LENGTH_MAX } from '../domain/exchange-limits'

/** 32 random bytes in base64url, made by the browser for one exchange. */
export const RESUME_KEY_PATTERN = /^[A-Za-z0-9_-]{43}$/
/** An exchange's id, or the resume name that stands for it. */
const NAME_PATTERN = /^[\w-]+$/
const NAME_LENGTH_MAX = 128
/** Whole numbers that JavaScript represents exactly. */
export const EVENT_NUMBER_PATTERN = /^\d{1,15}$/

/** @throws ApiError invalid_request */
export function readIdempotencyKey(headers: Headers): string | null {
  const key = headers.get('idempotency-key')
  if (key === null || (key !== '' && key.length <= IDEMPOTENCY_KEY_LENGTH_MAX)) return key
  const message = `Idempotency-Key is not valid: expected 1 to ${IDEMPOTENCY_KEY_LENGTH_MAX} characters.`
  throw new ApiError('invalid_request', message, { param: 'idempotency-key' })
}

/** @throws ApiError invalid_request */
export function readResumeKey(headers: Headers): string | null {
  const key = headers.get('x-resume-key')
  if (key === null || RESUME_KEY_PATTERN.test(key)) return key
  throw new ApiError('invalid_request', 'X-Resume-Key is not valid: expected 32 bytes in base64url.', {
    param: 'x-resume-key',
  })
}

/**
 * X-Max-Charge-USD: the most that the call may cost. No more is held or charged.
 * @throws ApiError invalid_request
 */
export function readMaxChargeNano(headers: Headers): Nano | null {
  const text = headers.get('x-max-charge-usd')
  const nano = text === null ? null : parseNano(text)
  if (text === null || (nano !== null && nano <= NANO_MAX)) return nano
  throw new ApiError('invalid_request', 'X-Max-Charge-USD is not valid: expected dollars, such as 0.021.', {
    param: 'x-max-charge-usd',
  })
}

/**
 * The exchange's second name. The browser can compute it before it has seen a single byte, and so stop
 * or resume an exchange whose id never reached it.
 */
export function resumeNameOf(resumeKey: string): string {
  return `resume-${hashSecret(resumeKey)}`
}

/** @throws ApiError not_found */
export function readExchangeName(name: string): string {
  if (NAME_PATTERN.test(name) && name.length <= NAME_LENGTH_MAX) return name
  throw noSuchAnswer(name)
}

/** Worded as by OpenAI, whose clients come here for the responses that it stores. */
export function noSuchAnswer(name: string): ApiError {
  const here =
    'Answers are not stored here. An answer can be found by its x-exchange-id while it is being written, and for ten minutes afterwards if the X-Resume-Key that its request had is sent again.'
  const message = `Response with id '${name.slice(0, NAME_LENGTH_MAX)}' not found. ${here}`
  return new ApiError('not_found', message, { param: 'id' })
}

/** 0 for none. @throws ApiError invalid_request */
export function readLastEventId(headers: Headers): number {
  const given = headers.get('last-event-id')
  if (given === null || given === '') return 0
  if (EVENT_NUMBER_PATTERN.test(given)) return Number(given)
  throw new ApiError('invalid_request', 'Last-Event-ID is not valid: expected the number of an event.', {
    param: 'last-event-id',
  })
}

/**
 * Whether one of this site's own pages asks. Browsers set this header themselves; a tool that fakes it gains nothing.
 */
export function querySourceOf(headers: Headers): ExchangeDetail['querySource'] {
  return headers.get('sec-fetch-site') === 'same-origin' ? 'web' : 'api'
}
