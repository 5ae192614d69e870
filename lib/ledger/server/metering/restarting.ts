import 'server-only'
import { ApiError } from '@/lib/http/api-error'

/** For requests that come while the process ends; another one will answer them in a moment. */
export function restarting(): ApiError {
  return new ApiError('internal_error', 'The server is restarting. Try again in a moment.', {
    status: 503,
    headers: { 'retry-after': '1' },
  })
}
