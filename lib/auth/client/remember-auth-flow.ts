import { AUTH_FLOW_PATH } from '@/lib/auth/domain/auth-flow'
import { HostRewrittenError, ServiceUnreachableError } from './auth-result'

/** A cookie is all that the server sets; a page that hangs on it would look broken. */
const TIMEOUT_MS = 5_000

/**
 * Leaves word for our callback routes: where to return to, and whom a mail was sent to. The server
 * keeps it in a cookie that no script can write.
 */
export async function rememberAuthFlow(flow: { email: string | null }): Promise<void> {
  const response = await fetch(`${AUTH_FLOW_PATH}/begin`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      return_path: `${window.location.pathname}${window.location.search}`,
      email: flow.email,
    }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => null)
  if (response?.ok) return
  const body: unknown = await response?.json().catch(() => null)
  if (Object(Object(body).error).reason === 'host_rewritten') {
    throw new HostRewrittenError('The server takes its own page for a foreign one.')
  }
  throw new ServiceUnreachableError('The sign-in could not be begun.')
}

/** Exact, without a query: the auth service compares it with the operator's list of allowed addresses. */
export function callbackAddress(): string {
  return `${window.location.origin}${AUTH_FLOW_PATH}/callback`
}
