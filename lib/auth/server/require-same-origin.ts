import 'server-only'
import { serverSettings } from '@/lib/config/server-settings'
import { ApiError } from '@/lib/http/api-error'
import { isOwnOrigin } from '@/lib/http/cross-site'

/**
 * Rejects a request that another site made the browser send. For every route that is authorised by a cookie: the
 * session cookie is SameSite lax, which some cross-site requests still carry.
 *
 * The browser states the origin of a request in Sec-Fetch-Site and Origin, which no page can change. One of them must
 * be present, and neither may name another origin; `Origin: null` counts as another.
 *
 * @throws ApiError forbidden; with `reason: host_rewritten` if the browser says that it was our own page, but a proxy
 * in front of us hides the host name it used
 */
export function requireSameOrigin(request: Request): void {
  const site = request.headers.get('sec-fetch-site')
  const origin = request.headers.get('origin')
  const sameSite = site === null ? null : site === 'same-origin'
  const sameOrigin = origin === null ? null : isOurs(origin, request.headers)
  const vouched = sameSite === true || sameOrigin === true
  if (vouched && sameSite !== false && sameOrigin !== false) return
  if (sameSite === true) {
    throw new ApiError('forbidden', HOST_REWRITTEN, { details: { reason: 'host_rewritten' } })
  }
  throw new ApiError('forbidden', 'This request did not come from a page of this site.')
}

const HOST_REWRITTEN =
  "The proxy in front of this site changes the Host header, so that the site's own pages look foreign. Set SITE_URL to the site's address, or let the proxy pass Host or X-Forwarded-Host on."

function isOurs(origin: string, headers: Headers): boolean {
  const { siteUrl } = serverSettings()
  return isOwnOrigin(origin, headers) || (siteUrl !== null && new URL(siteUrl).origin === origin)
}
