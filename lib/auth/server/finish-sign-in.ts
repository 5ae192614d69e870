import 'server-only'
import { AUTH_FLOW_COOKIE, AUTH_FLOW_PATH, type AuthFlow, decodeAuthFlow } from '@/lib/auth/domain/auth-flow'
import { authErrorKey, redirectErrorKey } from '@/lib/auth/domain/error-key'
import { ApiError } from '@/lib/http/api-error'
import { redirectTo } from './redirect-to'
import { requireSameOrigin } from './require-same-origin'
import { resolveSession } from './resolve-session'
import { createRouteAuth, type RouteAuth } from './route-client'
import { type RouteCookies, routeCookies } from './route-cookies'
import { type SetupProblem, tellOperator } from './setup-problems'
import { type SupabaseSettings, supabaseSettings } from './supabase-settings'

/** Where a failed sign-in is explained; the key is one of `auth.errors`. */
const ERROR_PATH = '/account?auth_error='

/** Codes are UUIDs and hashes; nothing longer is one. */
const PARAMETER_LENGTH_MAX = 512

/** Kinds of mailed link that sign somebody in. */
const LINK_TYPES = ['email', 'signup', 'magiclink', 'invite', 'recovery', 'email_change'] as const

/**
 * The end of a social sign-in or of linking an identity: exchanges the code, with the verifier that this
 * browser kept, for a session. A code brought by somebody else fits no verifier here.
 */
export async function finishCodeSignIn(request: Request): Promise<Response> {
  return finish(request, async (settings, parameters) => {
    const code = parameters.get('code')
    const failure = redirectErrorKey(parameters)
    if (failure !== null) return failure
    if (!code && parameters.has('message')) return 'halfConfirmed'
    if (!code || code.length > PARAMETER_LENGTH_MAX) return 'flowNotFound'
    const route = await createRouteAuth(settings, request, { hold: true })
    const { error } = await route.auth.exchangeCodeForSession(code)
    if (route.bounded.exhausted) return 'unreachable'
    return error ? authErrorKey(error) : keepSession(settings, route)
  })
}

/**
 * A mailed link. Only in the browser that asked for it, and only for the address that it was sent to:
 * otherwise a link to somebody's own account, sent to another person, would sign that person in there,
 * and a credit linked then would be the sender's. Whoever is signed in here stays so.
 */
export async function finishMailedLink(request: Request): Promise<Response> {
  return finish(request, async (settings, parameters, flow) => {
    const tokenHash = parameters.get('token_hash')
    const type = LINK_TYPES.find(candidate => candidate === parameters.get('type'))
    const failure = redirectErrorKey(parameters)
    if (failure !== null) return failure
    if (!tokenHash || tokenHash.length > PARAMETER_LENGTH_MAX || !type || !flow?.email) return 'linkElsewhere'
    const route = await createRouteAuth(settings, request, { hold: true })
    const { data, error } = await route.auth.verifyOtp({ token_hash: tokenHash, type })
    if (route.bounded.exhausted) return 'unreachable'
    if (error) return authErrorKey(error)
    // One of two addresses that must both agree to a change: there is no session yet.
    if (!data.session) return 'halfConfirmed'
    if (data.user?.email?.toLowerCase() === flow.email.toLowerCase()) return keepSession(settings, route)
    await route.auth.signOut({ scope: 'local' })
    return 'linkElsewhere'
  })
}

/**
 * The end of a sign-in that the browser made by itself, by a code, a passkey or an ID token: forgets what
 * was noted when it began, and says whether its session will be believed here.
 *
 * @throws ApiError forbidden with the reason, a key of `auth.errors`, when it will not
 */
export async function completeSignIn(request: Request): Promise<Response> {
  const settings = supabaseSettings()
  if (!settings) throw new ApiError('not_found', 'There is no sign-in here.')
  requireSameOrigin(request)
  forgetFlow(routeCookies(request))
  const problem = await setupProblem(settings, await createRouteAuth(settings, request))
  if (problem !== null) {
    const sentence = "The sign-in service's sessions are not accepted here: see the log of the server."
    throw new ApiError('forbidden', sentence, { details: { reason: problem } })
  }
  return new Response(null, { status: 204, headers: { 'cache-control': 'no-store' } })
}

/** Stores the session, unless no page would believe it. */
async function keepSession(settings: SupabaseSettings, route: RouteAuth): Promise<string | null> {
  const problem = await setupProblem(settings, route)
  if (problem === null) route.store()
  return problem
}

async function setupProblem(settings: SupabaseSettings, route: RouteAuth): Promise<SetupProblem | null> {
  const session = await resolveSession(route.auth, route.keySet, route.bounded)
  if (session.status !== 'signed-out' || !session.problem) return null
  tellOperator(settings, session.problem)
  return session.problem
}

function forgetFlow(store: RouteCookies): void {
  store.set(AUTH_FLOW_COOKIE, '', { path: AUTH_FLOW_PATH, maxAge: 0, sameSite: 'lax' })
}

async function finish(
  request: Request,
  attempt: (
    settings: SupabaseSettings,
    parameters: URLSearchParams,
    flow: AuthFlow | null,
  ) => Promise<string | null>,
): Promise<Response> {
  const settings = supabaseSettings()
  if (!settings) throw new ApiError('not_found', 'There is no sign-in here.')
  const store = routeCookies(request)
  const flow = decodeAuthFlow(store.get(AUTH_FLOW_COOKIE)?.value)
  const failure = await attempt(settings, new URL(request.url).searchParams, flow)
  forgetFlow(store)
  return redirectTo(failure === null ? (flow?.returnPath ?? '/account') : ERROR_PATH + failure)
}
