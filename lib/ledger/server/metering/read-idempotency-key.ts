import 'server-only'
import { ApiError } from '@/lib/http/api-error'

/** As long as Stripe's. */
const IDEMPOTENCY_KEY_CHARACTER_COUNT_MAX = 255

/** @throws ApiError invalid_request */
export function readIdempotencyKey(headers: Headers): string | null {
  const key = headers.get('idempotency-key')
  if (key === null || (key !== '' && key.length <= IDEMPOTENCY_KEY_CHARACTER_COUNT_MAX)) return key
  throw new ApiError('invalid_request', 'Idempotency-Key is not valid: expected 1 to 255 characters.', {
    param: 'idempotency-key',
  })
}
