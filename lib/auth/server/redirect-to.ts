import 'server-only'
import { SIGN_IN_SECTION } from '@/lib/auth/domain/auth-flow'

/** Relative, so that the Host header does not decide where the browser goes. */
export function redirectTo(path: string): Response {
  return new Response(null, {
    status: 303,
    headers: { location: path, 'cache-control': 'private, no-store', 'referrer-policy': 'no-referrer' },
  })
}

/** To the page that says why signing in or out failed. @param reason a key of `auth.errors` */
export function redirectToFailure(reason: string): Response {
  return redirectTo(`/account?auth_error=${reason}#${SIGN_IN_SECTION}`)
}
