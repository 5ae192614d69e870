import 'server-only'
import { ApiError } from '@/lib/http/api-error'
import { isOwnOrigin } from '@/lib/http/cross-site'

/**
 * Refuses a request that another site made the browser send. For every route where a cookie decides:
 * the session cookie is SameSite lax, which still travels with some cross-site requests.
 *
 * The browser says where a request comes from in Sec-Fetch-Site and Origin, and no page can change
 * them. One of them must be there, and none may name another origin; `Origin: null` is another.
 *
 * @throws ApiError forbidden
 */
export function requireSameOrigin(request: Request): void {
  const site = request.headers.get('sec-fetch-site')
  const origin = request.headers.get('origin')
  const sameSite = site === null ? null : site === 'same-origin'
  const sameOrigin = origin === null ? null : isOwnOrigin(origin, request.headers)
  const vouched = sameSite === true || sameOrigin === true
  if (vouched && sameSite !== false && sameOrigin !== false) return
  throw new ApiError('forbidden', 'This request did not come from a page of this site.')
}
