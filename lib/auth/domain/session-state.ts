import type { AuthUser } from './auth-user'

/** The shared state of the session. */
export interface SessionState {
  user: AuthUser | null
  loading: boolean
  /** A key of `auth.errors`; null without an error. */
  error: string | null
}

/** What the server found in the request; `unknown` if the auth service could not be asked. */
export type InitialSession =
  | { status: 'signed-in'; user: AuthUser }
  | { status: 'signed-out' }
  | { status: 'unknown' }

/**
 * The note that a session has ended while no page was open, for the account page to say so, whichever page is opened
 * first. It deletes the note then.
 */
export const SESSION_ENDED_COOKIE = 'session-ended'

/** Whoever comes back later than that expects to sign in. */
export const SESSION_ENDED_SECONDS_MAX = 30 * 24 * 3600

/** Applies events that set or clear the session; others leave it as it is. */
export function applySessionEvent(state: SessionState, event: string, user: AuthUser | null): SessionState {
  switch (event) {
    case 'INITIAL_SESSION':
    case 'SIGNED_IN':
    case 'TOKEN_REFRESHED':
    case 'USER_UPDATED':
    case 'MFA_CHALLENGE_VERIFIED':
      return { user: user ?? state.user, loading: false, error: null }
    case 'SIGNED_OUT':
      return { user: null, loading: false, error: null }
    default:
      return state
  }
}

export function initialSessionState(initial: InitialSession): SessionState {
  return {
    user: initial.status === 'signed-in' ? initial.user : null,
    loading: initial.status === 'unknown',
    error: null,
  }
}
