import 'server-only'
import {
  AUTH_FLOW_COOKIE,
  AUTH_FLOW_PATH,
  type AuthFlow,
  DEFAULT_RETURN_PATH,
  decodeAuthFlow,
} from '@/lib/auth/domain/auth-flow'
import { authErrorKey, redirectErrorKey } from '@/lib/auth/domain/error-key'
import { ApiError } from '@/lib/http/api-error'
import { redirectTo, redirectToFailure } from './redirect-to'
import { requireSameOrigin } from './require-same-origin'
import { resolveSession } from './resolve-session'
import { createRouteAuth, type RouteAuth } from './route-client'
import { type RouteCookies, routeCookies } from './route-cookies'
import { logSetupProblem, type SetupProblem } from './setup-problems'
import { requireSupabaseSettings, type SupabaseSettings } from './supabase-settings'

/** Codes are UUIDs and hashes, which are never longer. */
const PARAMETER_LENGTH_MAX = 512

/** The types of mailed link that sign somebody in. */
const LINK_TYPES = ['email', 'signup', 'magiclink', 'invite', 'recovery', 'email_change'] as const

/** A code verifier as the library keeps it for each sign-in in progress; the group is its name for `flowId`. */
const VERIFIER_COOKIE = /-flow-([\w-]{8,64})-code-verifier$/

/** The library keeps no more. */
const VERIFIER_COUNT_MAX = 5

/**
 * The end of a social sign-in or of linking an identity: exchanges the code for a session, with the verifier that this
 * browser kept. Somebody else's code does not match any verifier here.
 */
export async function finishCodeSignIn(request: Request): Promise<Response> {
  return finish(request, async (settings, parameters) => {
    const code = parameters.get('code')
    const failure = redirectErrorKey(parameters)
    if (failure !== null) return failure
    if (!code && parameters.has('message')) return 'halfConfirmed'
    if (!code || code.length > PARAMETER_LENGTH_MAX) return 'flowNotFound'
    const { route, error } = await exchangeCode(settings, request, code)
    if (route.bounded.exhausted) return 'unreachable'
    return error ? authErrorKey(error) : keepSession(settings, route)
  })
}

/**
 * Tries the verifiers of all sign-ins that this browser has in progress, the last one first: a code does not tell which
 * one it belongs to, and the auth service keeps it if the verifier was another one's.
 */
async function exchangeCode(settings: SupabaseSettings, request: Request, code: string) {
  const flowIds = routeCookies(request)
    .getAll()
    .flatMap(({ name }) => VERIFIER_COOKIE.exec(name)?.[1] ?? [])
    .slice(-VERIFIER_COUNT_MAX)
  for (;;) {
    const flowId = flowIds.pop()
    // One for each attempt: whatever its outcome, it deletes the verifier, which must stay after a wrong one.
    const route = await createRouteAuth(settings, request, { hold: true })
    const { error } = await route.auth.exchangeCodeForSession(code, flowId === undefined ? {} : { flowId })
    if (error?.code !== 'bad_code_verifier' || flowIds.length === 0) return { route, error }
  }
}

/**
 * The end of a sign-in by mailed link. It only works in the browser that requested it and for the address it was sent
 * to. Otherwise somebody could send another person a link to their own account; that person would be signed in there,
 * and a credit linked then would be the sender's. Anybody already signed in here stays so.
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
    if (error) return error.code === 'otp_expired' ? 'linkOver' : authErrorKey(error)
    // If two addresses have to confirm a change, there is no session after the first.
    if (!data.session) return 'halfConfirmed'
    if (data.user?.email?.toLowerCase() === flow.email.toLowerCase()) return keepSession(settings, route)
    await route.auth.signOut({ scope: 'local' })
    return 'linkElsewhere'
  })
}

/**
 * The end of a sign-in that the browser completed by itself, with a code, a passkey or an ID token: deletes the note
 * from its start, and reports whether the session will be accepted here.
 *
 * @throws ApiError forbidden if it will not, with the reason, a key of `auth.errors`
 */
export async function completeSignIn(request: Request): Promise<Response> {
  const settings = requireSupabaseSettings()
  requireSameOrigin(request)
  forgetFlow(routeCookies(request))
  const problem = await setupProblem(settings, await createRouteAuth(settings, request))
  if (problem !== null) {
    const sentence = "The sign-in service's sessions are not accepted here: see the log of the server."
    throw new ApiError('forbidden', sentence, { details: { reason: problem } })
  }
  return new Response(null, { status: 204, headers: { 'cache-control': 'no-store' } })
}

/** Stores the session, unless no page would accept it. */
async function keepSession(settings: SupabaseSettings, route: RouteAuth): Promise<string | null> {
  const problem = await setupProblem(settings, route)
  if (problem === null) route.store()
  return problem
}

async function setupProblem(settings: SupabaseSettings, route: RouteAuth): Promise<SetupProblem | null> {
  const session = await resolveSession(route.auth, route.keySet, route.bounded)
  if (session.status !== 'signed-out' || !session.problem) return null
  logSetupProblem(settings, session.problem)
  return session.problem
}

/**
 * The failures of an address that is opened a second time, after it has signed somebody in: its sign-in is over, and
 * the page says who is signed in.
 */
const MAY_BE_DONE: ReadonlySet<string> = new Set(['flowNotFound', 'linkElsewhere', 'linkOver'])

async function isSignedIn(settings: SupabaseSettings, request: Request): Promise<boolean> {
  const route = await createRouteAuth(settings, request)
  return (await resolveSession(route.auth, route.keySet, route.bounded)).status === 'signed-in'
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
  const settings = requireSupabaseSettings()
  const store = routeCookies(request)
  const flow = decodeAuthFlow(store.get(AUTH_FLOW_COOKIE)?.value)
  const failure = await attempt(settings, new URL(request.url).searchParams, flow)
  if (failure !== null && flow === null && MAY_BE_DONE.has(failure) && (await isSignedIn(settings, request)))
    return redirectTo(DEFAULT_RETURN_PATH)
  // What failed may be tried again: by the same link when the service answers, or by the one to the other address.
  if (failure !== null) return redirectToFailure(failure)
  forgetFlow(store)
  return redirectTo(flow?.returnPath ?? DEFAULT_RETURN_PATH)
}
