import 'server-only'
import { cookies } from 'next/headers'
import { AUTH_FLOW_COOKIE, AUTH_FLOW_PATH, type AuthFlow, decodeAuthFlow } from '@/lib/auth/domain/auth-flow'
import { authErrorKey, redirectErrorKey } from '@/lib/auth/domain/error-key'
import { ApiError } from '@/lib/http/api-error'
import { redirectTo } from './redirect-to'
import { createRouteAuth } from './route-client'
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
    if (!code || code.length > PARAMETER_LENGTH_MAX) return 'flowNotFound'
    const { auth, bounded } = await createRouteAuth(settings, request)
    const { error } = await auth.exchangeCodeForSession(code)
    if (bounded.exhausted) return 'unreachable'
    return error ? authErrorKey(error) : null
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
    const { auth, bounded, store } = await createRouteAuth(settings, request, { hold: true })
    const { data, error } = await auth.verifyOtp({ token_hash: tokenHash, type })
    if (bounded.exhausted) return 'unreachable'
    if (error) return authErrorKey(error)
    if (data.user?.email?.toLowerCase() === flow.email.toLowerCase()) {
      store()
      return null
    }
    await auth.signOut({ scope: 'local' })
    return 'linkElsewhere'
  })
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
  const store = await cookies()
  const flow = decodeAuthFlow(store.get(AUTH_FLOW_COOKIE)?.value)
  const failure = await attempt(settings, new URL(request.url).searchParams, flow)
  store.set(AUTH_FLOW_COOKIE, '', { path: AUTH_FLOW_PATH, maxAge: 0, sameSite: 'lax' })
  return redirectTo(failure === null ? (flow?.returnPath ?? '/account') : ERROR_PATH + failure)
}
