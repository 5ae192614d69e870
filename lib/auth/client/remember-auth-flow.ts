import { AUTH_FLOW_PATH, SIGN_IN_SECTION } from '@/lib/auth/domain/auth-flow'
import { watchedFetch } from '@/lib/http/client/watched-fetch'
import { type AuthResult, HostRewrittenError, ServiceUnreachableError } from './auth-result'
import type { SessionStore } from './session-store'

/** The server only sets a cookie; a page that waited any longer would look broken. */
const TIMEOUT_MS = 5_000

/**
 * Leaves a note for our callback routes: where to return to, and whom a mail was sent to. The server keeps it in a
 * cookie that no script can write.
 */
export async function rememberAuthFlow(flow: { email: string | null }): Promise<void> {
  const response = await watchedFetch(`${AUTH_FLOW_PATH}/begin`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      return_path: `${window.location.pathname}${window.location.search}#${SIGN_IN_SECTION}`,
      email: flow.email,
    }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => null)
  if (response?.ok) return
  if ((await reasonOf(response)) === 'host_rewritten') {
    throw new HostRewrittenError('The server takes its own page for a foreign one.')
  }
  throw new ServiceUnreachableError('The sign-in could not be begun.')
}

/**
 * Ends a sign-in, or a change of address, that did not pass through our callback routes. The server deletes the note
 * from its start, and may report that it would not accept the session because of how the service is set up. Then the
 * session ends here, with the reason, rather than on the next page without one.
 */
export async function finishSignIn<Data>(
  store: SessionStore,
  result: AuthResult<Data>,
): Promise<AuthResult<Data>> {
  if (result.error !== null) return result
  const response = await watchedFetch(`${AUTH_FLOW_PATH}/complete`, {
    method: 'POST',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => null)
  const reason = response?.status === 403 ? await reasonOf(response) : null
  if (reason !== 'signingKeys' && reason !== 'issuer') return result
  await store.refuse(reason)
  return { data: null, error: reason }
}

async function reasonOf(response: Response | null): Promise<unknown> {
  const body: unknown = await response?.json().catch(() => null)
  return Object(Object(body).error).reason
}

/** Exact, without a query: the auth service compares it with the operator's list of allowed addresses. */
export function callbackAddress(): string {
  return `${window.location.origin}${AUTH_FLOW_PATH}/callback`
}
