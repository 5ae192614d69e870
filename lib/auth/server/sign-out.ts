import 'server-only'
import { safeReturnPath } from '@/lib/auth/domain/safe-return-path'
import { readBody, SMALL_BODY_BYTES_MAX } from '@/lib/http/read-body'
import { redirectTo, redirectToFailure } from './redirect-to'
import { requireSameOrigin } from './require-same-origin'
import { createRouteAuth } from './route-client'
import { routeCookies } from './route-cookies'
import { isSessionCookie, sessionCookieName } from './session-cookies'
import { requireSupabaseSettings } from './supabase-settings'

/**
 * Signs out of this session (`scope=local`) or all sessions (`scope=global`), from a form. This browser's cookies are
 * cleared in any case; for `global`, the result says whether the other sessions could be ended.
 *
 * @throws ApiError not_found, request_too_large, or forbidden if another site sent the form
 */
export async function signOutByForm(request: Request): Promise<Response> {
  const settings = requireSupabaseSettings()
  requireSameOrigin(request)
  const form = new URLSearchParams(new TextDecoder().decode(await readBody(request, SMALL_BODY_BYTES_MAX)))
  const returnPath = safeReturnPath(form.get('return_path'), '/')
  const everywhere = form.get('scope') === 'global'
  const { auth, bounded } = await createRouteAuth(settings, request)
  const { error } = await auth.signOut({ scope: everywhere ? 'global' : 'local' })
  const store = routeCookies(request)
  const sessionName = sessionCookieName(settings)
  for (const { name } of store.getAll()) {
    if (isSessionCookie(name, sessionName)) store.set(name, '', { path: '/', maxAge: 0, sameSite: 'lax' })
  }
  const incomplete = everywhere && (error !== null || bounded.exhausted)
  return incomplete ? redirectToFailure('signedOutHereOnly') : redirectTo(returnPath)
}
