/**
 * Why nobody is signed in. The specification names these failures, and a signature that is wrong, which is
 * an `InvalidTokenError`.
 */
export type SessionError = NoSessionError | MissingRefreshTokenError | IncompleteSessionError | NoUserError

export class NoSessionError extends Error {
  override readonly name = 'NoSessionError'
  readonly reason = 'no_session'
}

export class MissingRefreshTokenError extends Error {
  override readonly name = 'MissingRefreshTokenError'
  readonly reason = 'no_refresh_token'
}

/** A session is valid only with an access token, a refresh token and the time when it ends. */
export class IncompleteSessionError extends Error {
  override readonly name = 'IncompleteSessionError'
  readonly reason = 'incomplete_session'
}

/** The session is good, and the service knows nobody by it. */
export class NoUserError extends Error {
  override readonly name = 'NoUserError'
  readonly reason = 'no_user'
}
