import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { authenticate, type Call, type Routes, requireSecondLevel, text } from './auth-server-router'
import type { AuthServerState, StoredFactor, StoredSession, StoredUser } from './auth-server-state'
import { createTotpSecret, totpCode } from './auth-server-totp'
import { AuthServerError, sessionBody } from './auth-server-wire'

const CHALLENGE_SECONDS = 300
const FACTOR_COUNT_MAX = 10

export const factorRoutes: Routes = {
  'POST /factors': (state, call) => {
    const { user, session } = authenticate(state, call)
    const type = text(call, 'factor_type')
    if (type !== 'totp' && type !== 'phone' && type !== 'webauthn') {
      const message = 'factor_type needs to be totp, phone, or webauthn'
      throw new AuthServerError(400, 'validation_failed', message)
    }
    checkEnrolment(user, session, text(call, 'friendly_name'))
    const factor: StoredFactor = {
      id: randomUUID(),
      factor_type: type,
      friendly_name: text(call, 'friendly_name'),
      status: 'unverified',
      phone: text(call, 'phone').replace('+', ''),
      secret: createTotpSecret(),
      challenges: new Map(),
      credentialId: null,
    }
    user.factors.push(factor)
    return Response.json(enrolmentBody(factor, user, text(call, 'issuer')))
  },

  'POST /factors/:factorId/challenge': (state, call) => {
    const { user } = authenticate(state, call)
    const factor = findFactor(user, call)
    const id = randomUUID()
    const expiresAtSeconds = state.nowSeconds() + CHALLENGE_SECONDS
    const answer = factor.factor_type === 'webauthn' ? randomBytes(32).toString('base64url') : smsCode()
    factor.challenges.set(id, { answer, expiresAtSeconds })
    if (factor.factor_type === 'phone') state.smsCodes.set(factor.id, answer)
    return Response.json({
      id,
      type: factor.factor_type,
      expires_at: expiresAtSeconds,
      ...(factor.factor_type === 'webauthn' ? { webauthn: webauthnOptions(call, user, factor, answer) } : {}),
    })
  },

  'POST /factors/:factorId/verify': (state, call) => {
    const { user, session } = authenticate(state, call)
    const factor = findFactor(user, call)
    const challengeId = text(call, 'challenge_id')
    const challenge = factor.challenges.get(challengeId)
    if (!challenge) {
      const message = 'MFA factor with the provided challenge ID not found'
      throw new AuthServerError(422, 'mfa_factor_not_found', message)
    }
    if (challenge.expiresAtSeconds < state.nowSeconds()) {
      factor.challenges.delete(challengeId)
      const message = `MFA challenge ${challengeId} has expired, verify against another challenge or create a new challenge.`
      throw new AuthServerError(422, 'mfa_challenge_expired', message)
    }
    checkAnswer(state, call, factor, challenge.answer)
    factor.challenges.clear()
    factor.status = 'verified'
    return Response.json(raiseToSecondLevel(state, user, session, factor))
  },

  'DELETE /factors/:factorId': (state, call) => {
    const { user, session } = authenticate(state, call)
    const factor = findFactor(user, call)
    if (factor.status === 'verified')
      requireSecondLevel({ user, session }, 422, 'AAL2 required to unenroll verified factor')
    user.factors.splice(user.factors.indexOf(factor), 1)
    return Response.json({ id: factor.id })
  },
}

function checkEnrolment(user: StoredUser, session: StoredSession, name: string): void {
  if (name !== '' && user.factors.some(factor => factor.friendly_name === name)) {
    const message = `A factor with the friendly name "${name}" for this user already exists`
    throw new AuthServerError(422, 'mfa_factor_name_conflict', message)
  }
  if (user.factors.length >= FACTOR_COUNT_MAX) {
    const message = 'Maximum number of verified factors reached, unenroll to continue'
    throw new AuthServerError(422, 'too_many_enrolled_mfa_factors', message)
  }
  requireSecondLevel({ user, session }, 403, 'AAL2 required to enroll a new factor')
}

function enrolmentBody(factor: StoredFactor, user: StoredUser, issuer: string) {
  const base = { id: factor.id, type: factor.factor_type, friendly_name: factor.friendly_name }
  if (factor.factor_type === 'phone') return { ...base, phone: factor.phone }
  if (factor.factor_type === 'webauthn') return base
  const uri = `otpauth://totp/${encodeURIComponent(`${issuer}:${user.email}`)}?issuer=${encodeURIComponent(issuer)}&secret=${factor.secret}&algorithm=SHA1&digits=6&period=30`
  const qrCode =
    '<?xml version="1.0"?><svg width="8" height="8" xmlns="http://www.w3.org/2000/svg"><rect width="8" height="8" fill="white"/><rect width="4" height="4" fill="black"/></svg>'
  return { ...base, totp: { qr_code: qrCode, secret: factor.secret, uri } }
}

function checkAnswer(state: AuthServerState, call: Call, factor: StoredFactor, answer: string): void {
  if (factor.factor_type === 'webauthn') {
    checkCredential(call, factor, answer)
    return
  }
  const code = text(call, 'code')
  const nowMs = state.nowMs()
  const expected =
    factor.factor_type === 'phone'
      ? [answer]
      : [-30_000, 0, 30_000].map(skew => totpCode(factor.secret, nowMs + skew))
  if (expected.includes(code)) return
  const kind = factor.factor_type === 'phone' ? 'MFA Phone' : 'TOTP'
  throw new AuthServerError(422, 'mfa_verification_failed', `Invalid ${kind} code entered`)
}

/**
 * Checks that the answer belongs to this challenge; signatures are the authenticator's business, not the protocol's.
 */
function checkCredential(call: Call, factor: StoredFactor, challenge: string): void {
  const response = field(field(call.body.webauthn, 'credential_response'), 'response')
  const clientData: unknown = JSON.parse(
    Buffer.from(String(field(response, 'clientDataJSON') ?? 'bnVsbA'), 'base64url').toString(),
  )
  if (field(clientData, 'challenge') !== challenge) {
    throw new AuthServerError(400, 'validation_failed', 'Invalid credential_response')
  }
  factor.credentialId ??= String(field(field(call.body.webauthn, 'credential_response'), 'id'))
}

/** The session becomes aal2 with a new refresh token; sessions at aal1 and unverified factors are removed. */
function raiseToSecondLevel(
  state: AuthServerState,
  user: StoredUser,
  session: StoredSession,
  factor: StoredFactor,
) {
  session.aal = 'aal2'
  session.methods.unshift({ method: factor.factor_type, timestamp: state.nowSeconds() })
  for (const other of [...state.sessions.values()]) {
    if (other.userId === user.id && other.aal === 'aal1') state.sessions.delete(other.id)
  }
  user.factors = user.factors.filter(candidate => candidate.status === 'verified')
  const active = session.refreshTokens.find(entry => !entry.revoked)
  if (active) active.revoked = true
  return sessionBody(state, session, state.issueRefreshToken(session, active?.token ?? null))
}

function webauthnOptions(call: Call, user: StoredUser, factor: StoredFactor, challenge: string) {
  const rpId = String(field(call.body.webauthn, 'rpId') ?? 'localhost')
  if (factor.status === 'verified') {
    const allowCredentials = [{ type: 'public-key', id: factor.credentialId }]
    return { type: 'request', credential_options: { publicKey: { challenge, rpId, allowCredentials } } }
  }
  return {
    type: 'create',
    credential_options: {
      publicKey: {
        challenge,
        rp: { id: rpId, name: 'Stand-in' },
        user: { id: Buffer.from(user.id).toString('base64url'), name: user.email, displayName: user.email },
        pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
      },
    },
  }
}

function findFactor(user: StoredUser, call: Call): StoredFactor {
  const factor = user.factors.find(candidate => candidate.id === call.params.factorId)
  if (!factor) throw new AuthServerError(404, 'mfa_factor_not_found', 'Factor not found')
  return factor
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && name in value
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined
}

function smsCode(): string {
  return String(randomInt(1_000_000)).padStart(6, '0')
}
