import { randomBytes, randomUUID } from 'node:crypto'
import { authenticate, type Call, type Routes, requireSecondLevel, text } from './auth-server-router'
import type { AuthServerState, StoredUser } from './auth-server-state'
import { AuthServerError, sessionBody } from './auth-server-wire'

const CHALLENGE_SECONDS = 300

export const passkeyRoutes: Routes = {
  'POST /passkeys/registration/options': (state, call) => {
    const user = authenticateManager(state, call)
    const { id, challenge } = startCeremony(state, user.id)
    return Response.json({
      challenge_id: id,
      expires_at: state.nowSeconds() + CHALLENGE_SECONDS,
      options: {
        challenge,
        rp: { id: 'localhost', name: 'Stand-in' },
        user: { id: Buffer.from(user.id).toString('base64url'), name: user.email, displayName: user.email },
        pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
        authenticatorSelection: { residentKey: 'required', userVerification: 'preferred' },
      },
    })
  },

  'POST /passkeys/registration/verify': (state, call) => {
    const user = authenticateManager(state, call)
    finishCeremony(state, call, user.id)
    const passkey = { id: randomUUID(), userId: user.id, credentialId: credentialId(call), friendlyName: '' }
    state.passkeys.push(passkey)
    return Response.json({ id: passkey.id, created_at: '2026-01-01T00:00:00Z' })
  },

  'POST /passkeys/authentication/options': state => {
    const { id, challenge } = startCeremony(state, null)
    return Response.json({
      challenge_id: id,
      expires_at: state.nowSeconds() + CHALLENGE_SECONDS,
      options: { challenge, rpId: 'localhost', userVerification: 'preferred' },
    })
  },

  'POST /passkeys/authentication/verify': (state, call) => {
    finishCeremony(state, call, null)
    const passkey = state.passkeys.find(candidate => candidate.credentialId === credentialId(call))
    if (!passkey) {
      throw new AuthServerError(400, 'webauthn_verification_failed', 'Credential verification failed')
    }
    return Response.json(sessionBody(state, state.createSession(passkey.userId, 'passkey')))
  },

  'GET /passkeys': (state, call) => {
    const { user } = authenticate(state, call)
    const own = state.passkeys.filter(passkey => passkey.userId === user.id)
    return Response.json(
      own.map(passkey => ({
        id: passkey.id,
        friendly_name: passkey.friendlyName,
        created_at: '2026-01-01T00:00:00Z',
      })),
    )
  },

  'DELETE /passkeys/:passkeyId': (state, call) => {
    const user = authenticateManager(state, call)
    const { passkeys } = state
    const index = passkeys.findIndex(
      passkey => passkey.id === call.params.passkeyId && passkey.userId === user.id,
    )
    if (index < 0) throw new AuthServerError(404, 'webauthn_credential_not_found', 'Passkey not found')
    passkeys.splice(index, 1)
    return new Response(null, { status: 204 })
  },
}

function authenticateManager(state: AuthServerState, call: Call): StoredUser {
  const { user, session } = authenticate(state, call)
  const message = 'AAL2 session is required to manage passkeys when MFA is enabled'
  requireSecondLevel({ user, session }, 403, message)
  return user
}

function startCeremony(state: AuthServerState, userId: string | null): { id: string; challenge: string } {
  const id = randomUUID()
  const challenge = randomBytes(32).toString('base64url')
  state.ceremonies.set(id, { challenge, userId })
  return { id, challenge }
}

function finishCeremony(state: AuthServerState, call: Call, userId: string | null): void {
  const started = state.ceremonies.get(text(call, 'challenge_id'))
  state.ceremonies.delete(text(call, 'challenge_id'))
  if (!started || started.userId !== userId) {
    throw new AuthServerError(400, 'webauthn_challenge_not_found', 'Challenge not found')
  }
}

function credentialId(call: Call): string {
  const { credential } = call.body
  return typeof credential === 'object' && credential !== null && 'id' in credential
    ? String(credential.id)
    : ''
}
