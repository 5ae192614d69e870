import type { AuthFactor } from '@/lib/auth/domain/auth-user'
import { type AuthResult, askService } from './auth-result'
import type { SessionStore } from './session-store'

export interface TotpEnrolment {
  factorId: string
  /** To be typed into an authenticator app that cannot scan. */
  secret: string
  /** The `otpauth://` address that the QR code shows. */
  uri: string
}

export async function enrolTotp(
  store: SessionStore,
  input: { friendlyName: string; issuer: string },
): Promise<AuthResult<TotpEnrolment>> {
  const result = await askService(store, client => client.mfa.enroll({ factorType: 'totp', ...input }))
  if (result.error !== null) return result
  const { id, totp } = result.data
  return { data: { factorId: id, secret: totp.secret, uri: totp.uri }, error: null }
}

/** A number with its country code (E.164). The service refuses any other with a code that says nothing about it. */
const INTERNATIONAL_NUMBER = /^\+?[1-9]\d{6,14}$/

export async function enrolPhone(
  store: SessionStore,
  { friendlyName, phone: typed }: { friendlyName: string; phone: string },
): Promise<AuthResult<{ factorId: string }>> {
  const phone = typed.replace(/[^+\d\p{L}]/gu, '').replace(/^00/, '+')
  if (!INTERNATIONAL_NUMBER.test(phone)) return { data: null, error: 'phoneInvalid' }
  const enrolment = { factorType: 'phone', friendlyName, phone } as const
  const result = await askService(store, client => client.mfa.enroll(enrolment))
  return result.error === null ? { data: { factorId: result.data.id }, error: null } : result
}

/** Enrols a security key or passkey as a factor: the browser asks for it, and the service verifies it. */
export async function enrolWebauthn(
  store: SessionStore,
  input: { friendlyName: string },
): Promise<AuthResult<object>> {
  const result = await askService(store, client => client.mfa.webauthn.register(input))
  await store.refreshUser()
  const left = result.error === null ? undefined : findLeft(store, input.friendlyName)
  if (left) await removeFactor(store, left.id)
  return result
}

/** What the library leaves of a security key that was never confirmed. Its name would be taken at the next attempt. */
function findLeft(store: SessionStore, friendlyName: string): AuthFactor | undefined {
  const factors = store.getSnapshot().user?.factors ?? []
  return factors.find(
    factor =>
      factor.factorType === 'webauthn' &&
      factor.status === 'unverified' &&
      factor.friendlyName === friendlyName,
  )
}

/** Starts a challenge, which sends the code if the factor is a phone. The data are never null. */
export async function challengeFactor(
  store: SessionStore,
  factor: Pick<AuthFactor, 'id'>,
): Promise<AuthResult<{ challengeId: string }>> {
  const result = await askService(store, client =>
    client.mfa.challenge({ factorId: factor.id, channel: 'sms' }),
  )
  return result.error === null ? { data: { challengeId: result.data.id }, error: null } : result
}

/** Raises the session to aal2, and marks a new factor as verified. */
export async function verifyFactorCode(
  store: SessionStore,
  input: { factorId: string; challengeId: string; code: string },
): Promise<AuthResult<object>> {
  const result = await askService(store, client => client.mfa.verify(input))
  if (result.error === null) await store.refreshUser()
  return result
}

/** For a key that was never confirmed, the service asks the browser for a new one; if it gets none, the factor stays. */
export async function verifyFactorWebauthn(
  store: SessionStore,
  factor: Pick<AuthFactor, 'id'>,
): Promise<AuthResult<object>> {
  const result = await askService(store, client => client.mfa.webauthn.authenticate({ factorId: factor.id }))
  if (result.error === null) await store.refreshUser()
  return result
}

export async function removeFactor(store: SessionStore, factorId: string): Promise<AuthResult<object>> {
  const result = await askService(store, client => client.mfa.unenroll({ factorId }))
  if (result.error === null) {
    // The token still says aal2; a refreshed one shows the level without the factor.
    await (await store.client()).refreshSession()
    await store.refreshUser()
  }
  return result
}

/** `secondFactorNeeded` while the session has yet to reach the level that the person's verified factors require. */
export async function checkSecondFactor(store: SessionStore): Promise<AuthResult<object>> {
  const result = await askService(store, client => client.mfa.getAuthenticatorAssuranceLevel())
  if (result.error !== null) return result
  const { currentLevel, nextLevel } = result.data
  if (nextLevel === 'aal2' && currentLevel !== 'aal2') return { data: null, error: 'secondFactorNeeded' }
  return { data: {}, error: null }
}
