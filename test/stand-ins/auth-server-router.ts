import { readJwt } from './auth-server-keys'
import type { AuthServerState, StoredSession, StoredUser } from './auth-server-state'
import { AuthServerError } from './auth-server-wire'

/** A parsed request. */
export interface Call {
  method: string
  path: string
  query: URLSearchParams
  params: Record<string, string>
  body: Record<string, unknown>
  headers: Headers
}

export type RouteHandler = (state: AuthServerState, call: Call) => Response

/** Handlers by `METHOD /path/:parameter`. */
export type Routes = Record<string, RouteHandler>

export function findRoute(
  routes: Routes,
  method: string,
  path: string,
): { handle: RouteHandler; params: Record<string, string> } | null {
  for (const [key, handle] of Object.entries(routes)) {
    const [routeMethod = '', pattern = ''] = key.split(' ')
    const params = routeMethod === method ? matchPath(pattern, path) : null
    if (params) return { handle, params }
  }
  return null
}

export function text(call: Call, name: string): string {
  const value = call.body[name]
  return typeof value === 'string' ? value : ''
}

/** The signed-in person of `Authorization: Bearer`, like the auth server's `requireAuthentication`. */
export function authenticate(
  state: AuthServerState,
  call: Call,
): { user: StoredUser; session: StoredSession } {
  const token = /^bearer (.+)$/i.exec(call.headers.get('authorization') ?? '')?.[1]
  if (!token) {
    throw new AuthServerError(401, 'no_authorization', 'This endpoint requires a valid Bearer token')
  }
  const claims = readJwt(state.signingKeys, token, state.nowSeconds())
  if (!claims) throw new AuthServerError(403, 'bad_jwt', 'invalid JWT: unable to parse or verify signature')
  const user = state.users.get(String(claims.sub))
  if (!user) throw new AuthServerError(403, 'user_not_found', 'User from sub claim in JWT does not exist')
  const session = state.sessions.get(String(claims.session_id))
  if (!session) {
    throw new AuthServerError(403, 'session_not_found', 'Session from session_id claim in JWT does not exist')
  }
  return { user, session }
}

/** What the service asks of those who have a second factor; its status differs with what they would do. */
export function requireSecondLevel(
  { user, session }: { user: StoredUser; session: StoredSession },
  status: number,
  message: string,
): void {
  if (session.aal !== 'aal2' && user.factors.some(factor => factor.status === 'verified')) {
    throw new AuthServerError(status, 'insufficient_aal', message)
  }
}

function matchPath(pattern: string, path: string): Record<string, string> | null {
  const names = pattern.split('/')
  const values = path.split('/')
  if (names.length !== values.length) return null
  const params: Record<string, string> = {}
  for (const [index, name] of names.entries()) {
    const value = values[index] ?? ''
    if (name.startsWith(':')) params[name.slice(1)] = decodeURIComponent(value)
    else if (name !== value) return null
  }
  return params
}
