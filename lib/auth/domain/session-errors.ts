/** Why nobody is signed in. The specification names these failures; an invalid signature is an `InvalidTokenError`. */
export type SessionError = NoSessionError | MissingRefreshTokenError | IncompleteSessionError | NoUserError

export class NoSessionError extends Error {
  override readonly name = 'NoSessionError'
  readonly reason = 'no_session'
}

export class MissingRefreshTokenError extends Error {
  override readonly name = 'MissingRefreshTokenError'
  readonly reason = 'no_refresh_token'
}

/** A session needs an access token, a refresh token and an expiry time. */
export class IncompleteSessionError extends Error {
  override readonly name = 'IncompleteSessionError'
  readonly reason = 'incomplete_session'
}

/** The session is valid, but the service knows nobody who belongs to it. */
export class NoUserError extends Error {
  override readonly name = 'NoUserError'
  readonly reason = 'no_user'
}
