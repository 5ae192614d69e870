import { randomUUID } from 'node:crypto'
import { publicJwk } from './auth-server-keys'
import { authenticate, type Call, type Routes, requireSecondLevel, text } from './auth-server-router'
import type { AuthServerState, StoredUser } from './auth-server-state'
import { linkIdentity, signInWith } from './auth-server-tokens'
import { AuthServerError, sessionBody, userBody } from './auth-server-wire'

export const userRoutes: Routes = {
  'GET /.well-known/jwks.json': state =>
    Response.json({ keys: state.signingKeys.filter(key => key.alg !== 'HS256').map(publicJwk) }),

  'GET /settings': state =>
    Response.json({
      external: Object.fromEntries(state.options.providers.map(provider => [provider, true])),
      disable_signup: false,
      mailer_autoconfirm: false,
      phone_autoconfirm: false,
      sms_provider: '',
      saml_enabled: false,
      passkeys_enabled: state.options.passkeysEnabled,
    }),

  'GET /authorize': (state, call) => Response.redirect(authorize(state, call, null), 302),

  'GET /user/identities/authorize': (state, call) => {
    const { user } = authenticate(state, call)
    const url = `${state.issuer}/stand-in/link/${user.id}?${call.query}`
    return call.query.get('skip_http_redirect') === 'true'
      ? Response.json({ url })
      : Response.redirect(url, 302)
  },

  // Where the browser is sent for linking: on the real server, the provider's own page.
  'GET /stand-in/link/:userId': (state, call) => {
    const user = state.users.get(call.params.userId ?? '')
    return Response.redirect(authorize(state, call, user ?? null), 302)
  },

  'DELETE /user/identities/:identityId': (state, call) => {
    const { user } = authenticate(state, call)
    if (user.identities.length <= 1) {
      const message = 'User must have at least 1 identity after unlinking'
      throw new AuthServerError(422, 'single_identity_not_deletable', message)
    }
    const index = user.identities.findIndex(entry => entry.identity_id === call.params.identityId)
    if (index < 0) throw new AuthServerError(422, 'identity_not_found', "Identity doesn't exist")
    user.identities.splice(index, 1)
    return Response.json({})
  },

  'GET /user': (state, call) => Response.json(userBody(authenticate(state, call).user)),

  'PUT /user': (state, call) => {
    const { user, session } = authenticate(state, call)
    const email = text(call, 'email')
    if (email && email !== user.email) {
      const message = 'AAL2 session is required to update email or password when MFA is enabled.'
      requireSecondLevel({ user, session }, 401, message)
      if (state.findUserByEmail(email)) {
        const message = 'A user with this email address has already been registered'
        throw new AuthServerError(422, 'email_exists', message)
      }
      user.newEmail = email
      state.sendEmailCode(email)
    }
    Object.assign(user.user_metadata, call.body.data)
    return Response.json(userBody(user))
  },

  'POST /otp': (state, call) => {
    const email = text(call, 'email')
    if (!email) throw new AuthServerError(400, 'validation_failed', 'One of email or phone must be set')
    if (!email.includes('@')) {
      const message = 'Unable to validate email address: invalid format'
      throw new AuthServerError(400, 'validation_failed', message)
    }
    state.sendEmailCode(email)
    return Response.json({})
  },

  'POST /verify': (state, call) => {
    if (state.halfConfirmations.has(text(call, 'token_hash') || text(call, 'token'))) {
      const message = 'Confirmation link accepted. Please proceed to confirm link sent to the other email'
      return Response.json({ code: 200, msg: message })
    }
    const email = findCode(state, call)
    if (!email) throw new AuthServerError(403, 'otp_expired', 'Token has expired or is invalid')
    state.emailCodes.delete(email)
    const changing = [...state.users.values()].find(({ newEmail }) => newEmail === email)
    if (text(call, 'type') === 'email_change' && changing) {
      Object.assign(changing, { email, newEmail: null })
      return Response.json(sessionBody(state, state.createSession(changing.id, 'otp')))
    }
    const user = state.findUserByEmail(email) ?? state.createUser({ email, provider: 'email' })
    return Response.json(sessionBody(state, state.createSession(user.id, 'otp')))
  },

  'POST /logout': (state, call) => {
    const { user, session } = authenticate(state, call)
    const scope = call.query.get('scope') ?? 'global'
    for (const candidate of [...state.sessions.values()]) {
      if (candidate.userId !== user.id) continue
      const own = candidate.id === session.id
      if (scope === 'global' || (scope === 'local' && own) || (scope === 'others' && !own)) {
        state.sessions.delete(candidate.id)
      }
    }
    return new Response(null, { status: 204 })
  },
}

/** The address to return to: with a code, or with the error from the provider or from linking. */
function authorize(state: AuthServerState, call: Call, target: StoredUser | null): string {
  const provider = call.query.get('provider') ?? ''
  if (!state.options.providers.includes(provider)) {
    const message = 'Unsupported provider: provider is not enabled'
    throw new AuthServerError(400, 'validation_failed', message)
  }
  const back = new URL(call.query.get('redirect_to') ?? state.options.url)
  try {
    const person = state.nextSocialIdentity
    if (!person)
      return withError(back, 'access_denied', '', 'The user has denied access to the scope requested')
    const identity = { provider, ...person }
    const user = target ? linkIdentity(state, target, identity) : signInWith(state, identity)
    const code = randomUUID()
    const challenge = call.query.get('code_challenge') ?? ''
    state.flows.set(code, { provider, challenge, userId: user.id, expired: false })
    back.searchParams.set('code', code)
    return back.href
  } catch (error) {
    if (error instanceof AuthServerError)
      return withError(back, 'server_error', error.errorCode, error.message)
    throw error
  }
}

function withError(back: URL, error: string, code: string, description: string): string {
  back.searchParams.set('error', error)
  if (code) back.searchParams.set('error_code', code)
  back.searchParams.set('error_description', description)
  back.hash = back.search.slice(1)
  return back.href
}

function findCode(state: AuthServerState, call: Call): string | null {
  const tokenHash = text(call, 'token_hash')
  for (const [email, sent] of state.emailCodes) {
    if (
      tokenHash
        ? sent.tokenHash === tokenHash
        : email === text(call, 'email') && sent.code === text(call, 'token')
    ) {
      return email
    }
  }
  return null
}
