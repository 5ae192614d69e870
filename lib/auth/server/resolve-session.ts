import 'server-only'
import { InvalidTokenError, type InvalidTokenReason, type TokenClaims } from '@/lib/auth/domain/token-claims'
import type { BoundedFetch } from './bounded-fetch'
import type { KeySet } from './key-set'
import type { AuthServerClient } from './server-client'
import type { SetupProblem } from './setup-problems'
import { verifyToken } from './verify-token'

export type ResolvedSession =
  | { status: 'signed-in'; claims: TokenClaims }
  /**
   * There is no session, or an invalid one; its cookies can be cleared. With a problem, the service may really have
   * signed it, but in a way that is never accepted here.
   */
  | { status: 'signed-out'; problem?: SetupProblem; cause?: InvalidTokenError }
  /**
   * Nobody is signed in for now, but the cookies are kept: the auth service did not answer, signs with a key that we do
   * not know yet, or has a different clock.
   */
  | { status: 'unknown'; reason: 'unreachable' | 'unverifiable' }

/**
 * Reads the session from the client's cookies. The library clears invalid ones and refreshes what expires within 90 s;
 * then the access token is verified here.
 */
export async function resolveSession(
  auth: AuthServerClient,
  keySet: KeySet,
  bounded: BoundedFetch,
): Promise<ResolvedSession> {
  const { data, error } = await auth.getSession()
  const session = await judge(data.session?.access_token, error, keySet, bounded)
  const claimsToLast = (data.session?.expires_at ?? 0) * 1000 - Date.now() > REFRESH_MARGIN_MS
  if (session !== 'expired') return session
  // If it is expired although it was just refreshed, the clocks of the service and this server disagree, which is not
  // the session's fault.
  if (!claimsToLast) return UNVERIFIABLE
  const refreshed = await auth.refreshSession()
  const second = await judge(refreshed.data.session?.access_token, refreshed.error, keySet, bounded)
  return second === 'expired' ? UNVERIFIABLE : second
}

const UNREACHABLE = { status: 'unknown', reason: 'unreachable' } as const
const UNVERIFIABLE = { status: 'unknown', reason: 'unverifiable' } as const

const PROBLEMS: Partial<Record<InvalidTokenReason, SetupProblem>> = {
  algorithm: 'signingKeys',
  issuer: 'issuer',
}

/** The library refreshes a session that expires within this time. */
const REFRESH_MARGIN_MS = 90_000

async function judge(
  accessToken: string | undefined,
  error: { name: string } | null,
  keySet: KeySet,
  bounded: BoundedFetch,
): Promise<ResolvedSession | 'expired'> {
  if (bounded.exhausted || error?.name === 'AuthRetryableFetchError') return UNREACHABLE
  if (accessToken === undefined || bounded.refused) return { status: 'signed-out' }
  try {
    return { status: 'signed-in', claims: await verifyToken(accessToken, keySet, bounded.signal) }
  } catch (cause) {
    if (!(cause instanceof InvalidTokenError)) return UNREACHABLE
    if (cause.reason === 'unknown_key' || cause.reason === 'not_yet_valid') return UNVERIFIABLE
    if (cause.reason === 'expired') return 'expired'
    return { status: 'signed-out', problem: PROBLEMS[cause.reason], cause }
  }
}
