/** What pages, cookies and the library need of a person. The rest may be of any size: providers and apps fill it. */
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

/** Where a person's name stands; the first is ours to change, the others are the providers'. */
export const NAME_FIELDS = ['display_name', 'full_name', 'name'] as const

/** What is longer is nobody's name, and would make a cookie of its own. */
const NAME_LENGTH_MAX = 200

/**
 * Refusals that say "later" and nothing of the token: too slow, too many. The library gives up a session for them
 * whose access token has ended, and strangers can use up what the service allows this server: it hears 503 instead.
 */
const PASSING_STATUSES = [408, 429]

interface ServiceFetchOptions {
  fetch: typeof fetch
  /** The service has refused this refresh token for good; the library keeps its session until it expires. */
  onRefusedRefresh: (refreshToken: string) => void
}

/**
 * The library's way to the auth service, with what it has no setting for: the person inside each answer
 * that it stores is cut to what the site needs, because all of it ends in cookies, which every request
 * carries; and a refused refresh is told.
 */
export function createServiceFetch({ fetch, onRefusedRefresh }: ServiceFetchOptions): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    const refreshToken = isRefusal(response.status) ? refreshTokenOf(String(input), init) : null
    if (refreshToken !== null) {
      if (PASSING_STATUSES.includes(response.status)) return new Response(response.body, { status: 503 })
      onRefusedRefresh(refreshToken)
    }
    const isStored = response.status === 200 && init?.method !== undefined && init.method !== 'GET'
    if (!isStored) return response
    return Response.json(withUserCut(await response.json()), { status: response.status })
  }
}

function isRefusal(status: number): boolean {
  return status >= 400 && status < 500
}

function refreshTokenOf(address: string, init: RequestInit | undefined): string | null {
  if (!/\/token\?(.*&)?grant_type=refresh_token(&|$)/.test(address)) return null
  const { refresh_token: refreshToken } = Object(JSON.parse(String(init?.body)))
  return typeof refreshToken === 'string' ? refreshToken : null
}

/** A session holds the person under `user`; a changed person comes by itself, as does anything else. */
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
