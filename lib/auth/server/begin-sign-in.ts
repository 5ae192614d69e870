import 'server-only'
import { z } from 'zod'
import {
  AUTH_FLOW_COOKIE,
  AUTH_FLOW_PATH,
  AUTH_FLOW_SECONDS_MAX,
  DEFAULT_RETURN_PATH,
  decodeAuthFlow,
  encodeAuthFlow,
} from '@/lib/auth/domain/auth-flow'
import { safeReturnPath } from '@/lib/auth/domain/safe-return-path'
import { readJson } from '@/lib/http/read-body'
import { requireSameOrigin } from './require-same-origin'
import { routeCookies } from './route-cookies'
import { isSecure } from './session-cookies'
import { requireSupabaseSettings } from './supabase-settings'

/** The longest address by RFC 5321. */
const EMAIL_LENGTH_MAX = 254

export const beginBody = z.object({
  /** See `safeReturnPath`, which replaces any that is unsafe or too long. */
  return_path: z.string(),
  email: z.string().max(EMAIL_LENGTH_MAX).nullable(),
})

/**
 * Notes that this browser is signing in: the callback routes only complete what was started here.
 * @throws ApiError not_found, invalid_request, or forbidden if another site sent the request
 */
export async function beginSignIn(request: Request): Promise<Response> {
  requireSupabaseSettings()
  requireSameOrigin(request)
  const body = await readJson(request, beginBody)
  const store = routeCookies(request)
  // The link of a mail that is on its way stays valid when another way to sign in is tried.
  const email = body.email ?? decodeAuthFlow(store.get(AUTH_FLOW_COOKIE)?.value)?.email ?? null
  const flow = { returnPath: safeReturnPath(body.return_path, DEFAULT_RETURN_PATH), email }
  store.set(AUTH_FLOW_COOKIE, encodeAuthFlow(flow), {
    path: AUTH_FLOW_PATH,
    maxAge: AUTH_FLOW_SECONDS_MAX,
    httpOnly: true,
    // Lax, because the provider's redirect back is a cross-site visit and must carry the cookie.
    sameSite: 'lax',
    secure: isSecure(request),
  })
  return new Response(null, { status: 204, headers: { 'cache-control': 'no-store' } })
}
