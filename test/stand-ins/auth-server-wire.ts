import { signJwt } from './auth-server-keys'
import type { AuthServerState, StoredSession, StoredUser } from './auth-server-state'

/** An error in the auth server's words; the router writes it in the format of the requested API version. */
export class AuthServerError extends Error {
  constructor(
    readonly status: number,
    readonly errorCode: string,
    message: string,
  ) {
    super(message)
  }

  /** API version 2024-01-01 has `{code, message}`, the previous one `{code, error_code, msg}`. */
  toResponse(apiVersion: string | null): Response {
    const isNew = apiVersion === '2024-01-01'
    const body = isNew
      ? { code: this.errorCode, message: this.message }
      : { code: this.status, error_code: this.errorCode, msg: this.message }
    return Response.json(body, {
      status: this.status,
      headers: {
        'x-sb-error-code': this.errorCode,
        ...(isNew ? { 'x-supabase-api-version': apiVersion } : {}),
      },
    })
  }
}

const EPOCH = '2026-01-01T00:00:00Z'

export function userBody(user: StoredUser) {
  return {
    id: user.id,
    aud: 'authenticated',
    role: 'authenticated',
    email: user.email,
    ...(user.newEmail === null ? {} : { new_email: user.newEmail }),
    email_confirmed_at: EPOCH,
    phone: '',
    confirmed_at: EPOCH,
    last_sign_in_at: EPOCH,
    app_metadata: appMetadata(user),
    user_metadata: user.user_metadata,
    ...(user.factors.length > 0 ? { factors: user.factors.map(factorBody) } : {}),
    identities: user.identities.map(identity => identityBody(user, identity)),
    created_at: EPOCH,
    updated_at: EPOCH,
    is_anonymous: false,
  }
}

/** The answer to every grant: a signed access token, the newest refresh token and the user. */
export function sessionBody(state: AuthServerState, session: StoredSession, refreshToken?: string) {
  const user = state.users.get(session.userId)
  if (!user) throw new AuthServerError(403, 'user_not_found', 'User from sub claim in JWT does not exist')
  const expiresAt = state.nowSeconds() + state.options.jwtExpSeconds
  return {
    access_token: accessToken(state, session, user, expiresAt),
    token_type: 'bearer',
    expires_in: state.options.jwtExpSeconds,
    expires_at: expiresAt,
    refresh_token: refreshToken ?? session.refreshTokens.at(-1)?.token ?? '',
    user: userBody(user),
  }
}

function accessToken(state: AuthServerState, session: StoredSession, user: StoredUser, expiresAt: number) {
  const [key] = state.signingKeys
  if (!key) throw new AuthServerError(500, 'unexpected_failure', 'no signing key')
  return signJwt(key, {
    iss: state.options.issuer ?? state.issuer,
    sub: user.id,
    aud: 'authenticated',
    exp: expiresAt,
    iat: state.nowSeconds(),
    email: user.email,
    phone: '',
    app_metadata: appMetadata(user),
    user_metadata: user.user_metadata,
    role: 'authenticated',
    aal: session.aal,
    amr: session.methods,
    session_id: session.id,
    is_anonymous: false,
  })
}

function appMetadata(user: StoredUser) {
  const providers = user.identities.map(identity => identity.provider)
  return { provider: providers[0], providers }
}

function identityBody(user: StoredUser, identity: StoredUser['identities'][number]) {
  return {
    identity_id: identity.identity_id,
    id: identity.id,
    user_id: user.id,
    identity_data: { email: identity.email, email_verified: true, sub: identity.id },
    provider: identity.provider,
    last_sign_in_at: EPOCH,
    created_at: EPOCH,
    updated_at: EPOCH,
    email: identity.email,
  }
}

function factorBody(factor: StoredUser['factors'][number]) {
  return {
    id: factor.id,
    created_at: EPOCH,
    updated_at: EPOCH,
    status: factor.status,
    friendly_name: factor.friendly_name,
    factor_type: factor.factor_type,
    phone: factor.phone,
    last_challenged_at: null,
  }
}
