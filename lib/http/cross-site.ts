import 'server-only'
import { ApiError } from './api-error'
import { CREDENTIAL_HEADERS } from './credential'
import { forwarded } from './request-origin'

const READING_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Types that a form, or a script without a preflight, can send to any site, as it can a body without a type. */
const SIMPLE_CONTENT_TYPE =
  /^\s*(text\/plain|application\/x-www-form-urlencoded|multipart\/form-data)\s*(;|$)/i

/**
 * Refuses what a page of another site makes a visitor's browser send here: it would open accounts and use up limits in
 * the visitor's name. Browsers name a request's origin in Sec-Fetch-Site and Origin, and no page can change these.
 * Programs send neither, and pass. So do requests with a credential of ours, which no browser adds by itself.
 * (`Authorization: Basic`, which it may add, is none.)
 *
 * @throws ApiError forbidden
 */
export function refuseCrossSite({ method, headers }: Request): void {
  if (READING_METHODS.has(method) || showsCredential(headers)) return
  const site = headers.get('sec-fetch-site')
  const origin = headers.get('origin')
  const isFromElsewhere =
    site === null
      ? origin !== null && !isOwnOrigin(origin, headers)
      : site !== 'same-origin' && site !== 'none'
  const isSimple = SIMPLE_CONTENT_TYPE.test(headers.get('content-type') ?? 'text/plain')
  if (origin !== 'null' && (!isFromElsewhere || (site === null && !isSimple))) return
  throw new ApiError(
    'forbidden',
    'This request came from a page of another site, without a credential. Send a credential in a header.',
  )
}

/** For an answer that pages of any origin may read. With `*` no browser sends a cookie along. */
export const ANY_ORIGIN_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': '*',
}

/** How long a browser may cache a preflight; most cap it at two hours. */
const PREFLIGHT_SECONDS = 86_400

/** The answer to a preflight. */
export function preflightHeaders(methods: readonly string[]): Record<string, string> {
  if (methods.length === 0) return {}
  return {
    ...ANY_ORIGIN_HEADERS,
    'access-control-allow-methods': methods.join(', '),
    // Clients send headers of their own invention; `*` alone would not cover `authorization`.
    'access-control-allow-headers': 'authorization, *',
    'access-control-max-age': String(PREFLIGHT_SECONDS),
  }
}

/** Whether an origin has the host that the browser addressed, which a proxy in front of us passes on. */
export function isOwnOrigin(origin: string, headers: Headers): boolean {
  const hosts = [forwarded(headers, 'host'), headers.get('host')]
  return URL.canParse(origin) && hosts.includes(new URL(origin).host)
}

function showsCredential(headers: Headers): boolean {
  if (/^(Bearer|L402|LSAT|Payment)\s/i.test(headers.get('authorization') ?? '')) return true
  return CREDENTIAL_HEADERS.some(name => headers.has(name))
}
