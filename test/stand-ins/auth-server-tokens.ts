import { codeChallenge, readJwt, sha256Hex } from './auth-server-keys'
import { authenticate, type Call, type Routes, text } from './auth-server-router'
import type { AuthServerState, StoredUser } from './auth-server-state'
import { AuthServerError, sessionBody } from './auth-server-wire'

/** The audience of the ID tokens issued by the stand-in's OpenID provider. */
export const ID_TOKEN_AUDIENCE = 'stand-in-client'

export const tokenRoutes: Routes = {
  'POST /token': (state, call) => {
    const grant = call.query.get('grant_type')
    if (grant === 'refresh_token') return refresh(state, call)
    if (grant === 'pkce') return exchangeCode(state, call)
    if (grant === 'id_token') return exchangeIdToken(state, call)
    throw new AuthServerError(400, 'validation_failed', 'unsupported_grant_type')
  },
}

/** Rotation, reuse interval and the accepted parent, as in the auth server's `RefreshTokenGrant`. */
function refresh(state: AuthServerState, call: Call): Response {
  const presented = text(call, 'refresh_token')
  if (presented.length < 12) throw new AuthServerError(400, 'validation_failed', 'Refresh token is not valid')
  const session = [...state.sessions.values()].find(candidate =>
    candidate.refreshTokens.some(entry => entry.token === presented),
  )
  const entry = session?.refreshTokens.find(candidate => candidate.token === presented)
  if (!session || !entry) {
    const message = 'Invalid Refresh Token: Refresh Token Not Found'
    throw new AuthServerError(400, 'refresh_token_not_found', message)
  }
  if (!entry.revoked) {
    entry.revoked = true
    entry.updatedAtMs = state.nowMs()
    return Response.json(sessionBody(state, session, state.issueRefreshToken(session, presented)))
  }
  const active = session.refreshTokens.find(candidate => !candidate.revoked)
  if (active?.parent === presented) return Response.json(sessionBody(state, session, active.token))
  if (state.nowMs() > entry.updatedAtMs + state.options.refreshTokenReuseSeconds * 1000) {
    for (const token of session.refreshTokens) token.revoked = true
    throw new AuthServerError(400, 'refresh_token_already_used', 'Invalid Refresh Token: Already Used')
  }
  if (active) active.revoked = true
  return Response.json(sessionBody(state, session, state.issueRefreshToken(session, presented)))
}

function exchangeCode(state: AuthServerState, call: Call): Response {
  const [code, verifier] = [text(call, 'auth_code'), text(call, 'code_verifier')]
  if (!code || !verifier) {
    const message = 'invalid request: both auth code and code verifier should be non-empty'
    throw new AuthServerError(400, 'validation_failed', message)
  }
  const flow = state.flows.get(code)
  if (!flow) {
    throw new AuthServerError(404, 'flow_state_not_found', 'invalid flow state, no valid flow state found')
  }
  if (flow.expired) {
    throw new AuthServerError(422, 'flow_state_expired', 'invalid flow state, flow state has expired')
  }
  if (flow.challenge !== codeChallenge(verifier)) {
    throw new AuthServerError(
      400,
      'bad_code_verifier',
      'code challenge does not match previously saved code verifier',
    )
  }
  state.flows.delete(code)
  const body = sessionBody(state, state.createSession(flow.userId, 'oauth'))
  return Response.json({
    ...body,
    provider_token: 'provider-access-token',
    provider_refresh_token: 'provider-refresh-token',
  })
}

function exchangeIdToken(state: AuthServerState, call: Call): Response {
  const target = call.body.link_identity === true ? authenticate(state, call).user : null
  const claims = readJwt([state.providerKey], text(call, 'id_token'), state.nowSeconds())
  if (!claims) throw new OAuthError('invalid request', 'Bad ID token')
  if (claims.aud !== ID_TOKEN_AUDIENCE) {
    throw new OAuthError('invalid request', `Unacceptable audience in id_token: [${String(claims.aud)}]`)
  }
  const nonce = text(call, 'nonce')
  if ((nonce === '') !== (claims.nonce === undefined)) {
    throw new OAuthError(
      'invalid request',
      'Passed nonce and nonce in id_token should either both exist or not.',
    )
  }
  if (nonce !== '' && claims.nonce !== sha256Hex(nonce)) {
    throw new OAuthError('invalid nonce', 'Nonces mismatch')
  }
  const identity = {
    provider: text(call, 'provider'),
    subject: String(claims.sub),
    email: String(claims.email),
  }
  const user = target ? linkIdentity(state, target, identity) : signInWith(state, identity)
  return Response.json(sessionBody(state, state.createSession(user.id, 'oauth')))
}

/** OAuth errors keep their own format, `{error, error_description}` with status 400. */
class OAuthError extends AuthServerError {
  constructor(
    readonly kind: string,
    description: string,
  ) {
    super(400, '', description)
  }

  override toResponse(): Response {
    return Response.json({ error: this.kind, error_description: this.message }, { status: 400 })
  }
}

/** The person that an identity belongs to; it is linked to whoever already has its address. */
export function signInWith(
  state: AuthServerState,
  identity: { provider: string; subject: string; email: string },
): StoredUser {
  const known = state.findIdentity(identity.provider, identity.subject)
  if (known) return known.user
  const sameAddress = state.findUserByEmail(identity.email)
  if (!sameAddress) return state.createUser(identity)
  state.addIdentity(sameAddress, identity)
  return sameAddress
}

export function linkIdentity(
  state: AuthServerState,
  user: StoredUser,
  identity: { provider: string; subject: string; email: string },
): StoredUser {
  const known = state.findIdentity(identity.provider, identity.subject)
  if (known) {
    const toAnother = known.user.id === user.id ? '' : ' to another user'
    throw new AuthServerError(422, 'identity_already_exists', `Identity is already linked${toAnother}`)
  }
  state.addIdentity(user, identity)
  return user
}
