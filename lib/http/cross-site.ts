import 'server-only'
import { ApiError } from './api-error'
import { CREDENTIAL_HEADERS } from './credential'

const READING_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** What a form, or a script without asking, may send anywhere; so does a body of no stated type. */
const SIMPLE_CONTENT_TYPE =
  /^\s*(text\/plain|application\/x-www-form-urlencoded|multipart\/form-data)\s*(;|$)/i

/**
 * Refuses what another site makes a visitor's browser send here on its own: it would open accounts and use
 * up limits in the visitor's name. Browsers say where a request comes from in Sec-Fetch-Site and Origin,
 * and no page can change them; programs send neither, and pass. So does whoever shows a credential of ours,
 * which no browser adds by itself. (`Authorization: Basic`, which it may, is none.)
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
  throw new ApiError('forbidden', 'A page of another site sent this request, without a credential.')
}

/** For an answer that pages of any origin may read. With `*` no browser sends a cookie along. */
export const ANY_ORIGIN_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': '*',
}

/** How long a browser need not ask again whether it may; most keep it for two hours at most. */
const PREFLIGHT_SECONDS = 86_400

/** What a browser is told that asks before it lets a page of another origin ask. */
export function preflightHeaders(methods: readonly string[]): Record<string, string> {
  if (methods.length === 0) return {}
  return {
    ...ANY_ORIGIN_HEADERS,
    'access-control-allow-methods': methods.join(', '),
    // Clients send headers of their own invention; `*` alone would leave out the credential.
    'access-control-allow-headers': 'authorization, *',
    'access-control-max-age': String(PREFLIGHT_SECONDS),
  }
}

/** The host that the browser addressed; a proxy in front of us passes it on. */
export function isOwnOrigin(origin: string, headers: Headers): boolean {
  const hosts = [headers.get('x-forwarded-host'), headers.get('host')]
  return URL.canParse(origin) && hosts.includes(new URL(origin).host)
}

function showsCredential(headers: Headers): boolean {
  if (/^(Bearer|L402|LSAT|Payment)\s/i.test(headers.get('authorization') ?? '')) return true
  return CREDENTIAL_HEADERS.some(name => headers.has(name))
}
