import { asText, fieldsOf } from '@/lib/http/domain/is-object'
import { tryParseJson } from '@/lib/http/domain/try-parse-json'

/**
 * The parts of a person's record that pages, cookies and the library need. The rest may be of any size, because
 * providers and apps fill it.
 */
const USER_FIELDS = [
  'id',
  'aud',
  'role',
  'email',
  'new_email',
  'phone',
  'factors',
  'is_anonymous',
  'created_at',
  'updated_at',
] as const

/** The fields of a person's name; the first is ours to change, the others are the providers'. */
export const NAME_FIELDS = ['display_name', 'full_name', 'name'] as const

/** Anything longer is not a name, and would fill a cookie by itself. */
const NAME_LENGTH_MAX = 200

/**
 * A longer token does not fit into the cookies that our server reads. It would refuse every request of this browser
 * because of them, so that not even the credit could be reached.
 */
export const ACCESS_TOKEN_LENGTH_MAX = 32 * 1024

/** The only statuses with which the service refuses a token. It means the moment by 408, 409, 422 and 429. */
const REFUSING_STATUSES = [400, 401, 403]

interface ServiceFetchOptions {
  fetch: typeof fetch
  /** The service has refused this refresh token for good; the library would keep its session until it expires. */
  onRefusedRefresh: (refreshToken: string, code: string) => void
}

/**
 * The library's fetch for the auth service, which does what the library has no setting for. It reduces the person's
 * record in each answer to what the site needs, because all of it ends up in cookies, which every request carries; it
 * refuses a session that does not fit into them all the same; and it reports a refused refresh.
 */
export function createServiceFetch({ fetch, onRefusedRefresh }: ServiceFetchOptions): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    const refreshToken = refreshTokenOf(String(input), init)
    if (!response.ok && refreshToken !== null) {
      const text = await response.text()
      // Of other statuses, the library knows only the usual 5xx as passing, and gives up an expired session on the rest.
      const code = refusalCode(response.status, text)
      if (code === undefined) return new Response(text, { status: 503 })
      onRefusedRefresh(refreshToken, code)
      return new Response(text, response)
    }
    const isStored = response.status === 200 && init?.method !== undefined && init.method !== 'GET'
    if (!isStored) return response
    const body: unknown = await response.json()
    if (asText(fieldsOf(body).access_token).length > ACCESS_TOKEN_LENGTH_MAX) {
      const code = 'session_too_large'
      if (refreshToken !== null) onRefusedRefresh(refreshToken, code)
      return Response.json({ error_code: code, msg: 'not stored' }, { status: 400 })
    }
    return Response.json(withUserCut(body), { status: response.status })
  }
}

/**
 * The code with which the service itself refuses the token. A gateway, a firewall or a captive portal in front of it may
 * answer with the same statuses, but not with an error code: to a page, or to a key that the operator has just replaced.
 */
function refusalCode(status: number, text: string): string | undefined {
  if (!REFUSING_STATUSES.includes(status)) return undefined
  const { code, error_code: formerCode, error: oauthCode } = fieldsOf(tryParseJson(text))
  return [code, formerCode, oauthCode].find(given => typeof given === 'string')
}

function refreshTokenOf(address: string, init: RequestInit | undefined): string | null {
  if (!/\/token\?(.*&)?grant_type=refresh_token(&|$)/.test(address)) return null
  const { refresh_token: refreshToken } = Object(JSON.parse(String(init?.body)))
  return typeof refreshToken === 'string' ? refreshToken : null
}

/** A session contains the person under `user`; an updated person comes as a bare record. */
function withUserCut(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body
  if ('user' in body) return { ...body, user: cutUser(body.user) }
  return 'user_metadata' in body ? cutUser(body) : body
}

function cutUser(user: unknown): unknown {
  const given = Object(user)
  const kept = USER_FIELDS.flatMap(name => (given[name] === undefined ? [] : [[name, given[name]]]))
  const metadata = Object(given.user_metadata)
  const names = NAME_FIELDS.flatMap(name => (isName(metadata[name]) ? [[name, metadata[name]]] : []))
  return { ...Object.fromEntries(kept), user_metadata: Object.fromEntries(names) }
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value.length <= NAME_LENGTH_MAX
}
