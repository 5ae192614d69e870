import 'server-only'
import {
  type AssuranceLevel,
  type AuthUser,
  requiredAssuranceLevel,
  toAuthUser,
} from '@/lib/auth/domain/auth-user'
import { authErrorKey } from '@/lib/auth/domain/error-key'
import { NoSessionError, NoUserError, type SessionError } from '@/lib/auth/domain/session-errors'
import type { InvalidTokenError } from '@/lib/auth/domain/token-claims'
import { ApiError } from '@/lib/http/api-error'
import { resolveSession } from './resolve-session'
import type { RouteAuth } from './route-client'

export interface SignedInUser {
  user: AuthUser
  assuranceLevel: AssuranceLevel
}

/** The keys of the errors by which the service says that the session is no longer valid. */
const ENDING_ERRORS = ['sessionEnded', 'banned']

/**
 * The signed-in person, for a route that shows or changes something sensitive: the token is verified here, and the auth
 * service confirms that the session still exists and which factors there are.
 *
 * @throws ApiError invalid_credential with the reason if nobody is signed in, upstream_timeout if the service does not
 * answer
 */
export async function requireUser({ auth, keySet, bounded, sentProblem }: RouteAuth): Promise<SignedInUser> {
  const session = await resolveSession(auth, keySet, bounded)
  if (session.status === 'unknown' && session.reason === 'unreachable') throw unreachable()
  if (session.status === 'signed-out') throw notSignedIn(session.cause ?? sentProblem ?? new NoSessionError())
  if (session.status === 'unknown') throw notSignedIn(new NoSessionError())
  const { data, error } = await auth.getUser()
  // Too many requests, for example, or a gateway's own refusal: neither says anything about the session.
  if (bounded.exhausted || (error && !ENDING_ERRORS.includes(authErrorKey(error)))) throw unreachable()
  if (error || data.user.id !== session.claims.userId) throw notSignedIn(new NoUserError())
  return { user: toAuthUser(data.user), assuranceLevel: session.claims.assuranceLevel }
}

/** @throws ApiError forbidden with `reason: second_factor` if there is a verified factor and it was not used */
export function requireSecondFactor({ user, assuranceLevel }: SignedInUser): void {
  if (assuranceLevel === requiredAssuranceLevel(user.factors) || assuranceLevel === 'aal2') return
  throw new ApiError('forbidden', 'Confirm it is you with your second factor first.', {
    details: { reason: 'second_factor' },
  })
}

function notSignedIn(cause: SessionError | InvalidTokenError): ApiError {
  return new ApiError('invalid_credential', 'Nobody is signed in.', {
    details: { reason: cause.reason },
    cause,
  })
}

function unreachable(): ApiError {
  return new ApiError('upstream_timeout', 'The sign-in service does not answer.')
}
