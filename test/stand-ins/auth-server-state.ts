import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { createSigningKey, type SigningAlgorithm, type SigningKey } from './auth-server-keys'

export interface StoredIdentity {
  identity_id: string
  /** The subject at the provider. */
  id: string
  provider: string
  email: string
}

export interface StoredFactor {
  id: string
  factor_type: 'totp' | 'phone' | 'webauthn'
  friendly_name: string
  status: 'unverified' | 'verified'
  phone: string
  secret: string
  /** The SMS code or WebAuthn challenge to be answered, by challenge id. */
  challenges: Map<string, { answer: string; expiresAtSeconds: number }>
  credentialId: string | null
}

export interface StoredUser {
  id: string
  email: string
  /** Requested, but not confirmed yet. */
  newEmail: string | null
  user_metadata: Record<string, unknown>
  identities: StoredIdentity[]
  factors: StoredFactor[]
}

interface StoredRefreshToken {
  token: string
  parent: string | null
  revoked: boolean
  updatedAtMs: number
}

export interface StoredSession {
  id: string
  userId: string
  aal: 'aal1' | 'aal2'
  methods: { method: string; timestamp: number }[]
  refreshTokens: StoredRefreshToken[]
}

export interface Flow {
  provider: string
  challenge: string
  userId: string
  expired: boolean
}

export interface StoredPasskey {
  id: string
  userId: string
  credentialId: string
  friendlyName: string
}

/** The server's configuration, with the auth server's own names. */
export interface AuthServerOptions {
  url: string
  providers: string[]
  algorithm: SigningAlgorithm
  /** The issuer of its tokens, if an operator set one that differs from the address. */
  issuer: string | null
  jwtExpSeconds: number
  refreshTokenReuseSeconds: number
  passkeysEnabled: boolean
}

/** The whole state of the stand-in. Tests read and change it; the routes do so as the real server does. */
export class AuthServerState {
  readonly users = new Map<string, StoredUser>()
  readonly sessions = new Map<string, StoredSession>()
  readonly flows = new Map<string, Flow>()
  readonly passkeys: StoredPasskey[] = []
  /** Unused tokens of a captcha; null if none is required. */
  captchaTokens: Set<string> | null = null
  /** Passkey ceremonies in progress, by challenge id; without a user for a sign-in. */
  readonly ceremonies = new Map<string, { challenge: string; userId: string | null }>()
  /** Codes sent by e-mail, by address; only the newest one is valid. */
  readonly emailCodes = new Map<string, { code: string; tokenHash: string }>()
  /** Confirmations by the first of two addresses that both have to agree to a change. */
  readonly halfConfirmations = new Set<string>()
  /** Codes sent by SMS, by factor id. */
  readonly smsCodes = new Map<string, string>()
  /** The identity that the social provider returns at the next visit; null if the person refuses. */
  nextSocialIdentity: { subject: string; email: string } | null = {
    subject: 'subject-1',
    email: 'ada@example.com',
  }
  signingKeys: SigningKey[]
  #providerKey: SigningKey | null = null
  /** How far this server's clock is ahead of the machine's. */
  clockOffsetSeconds = 0

  constructor(readonly options: AuthServerOptions) {
    this.signingKeys = [createSigningKey(options.algorithm)]
  }

  /** Made when it is first needed, since that takes long. */
  get providerKey(): SigningKey {
    this.#providerKey ??= createSigningKey('RS256')
    return this.#providerKey
  }

  get issuer(): string {
    return `${this.options.url}/auth/v1`
  }

  nowMs(): number {
    return Date.now() + this.clockOffsetSeconds * 1000
  }

  nowSeconds(): number {
    return Math.floor(this.nowMs() / 1000)
  }

  /** Signs with a new key from now on; the old one stays published until `dropOldKeys`. */
  rotateSigningKey(algorithm: SigningAlgorithm = this.options.algorithm): void {
    this.signingKeys.unshift(createSigningKey(algorithm))
  }

  dropOldKeys(): void {
    this.signingKeys.splice(1)
  }

  findUserByEmail(email: string): StoredUser | undefined {
    return [...this.users.values()].find(user => user.email === email)
  }

  findIdentity(provider: string, subject: string): { user: StoredUser; identity: StoredIdentity } | null {
    for (const user of this.users.values()) {
      const identity = user.identities.find(entry => entry.provider === provider && entry.id === subject)
      if (identity) return { user, identity }
    }
    return null
  }

  createUser(input: { email: string; provider: string; subject?: string }): StoredUser {
    const id = randomUUID()
    const user: StoredUser = {
      id,
      email: input.email,
      newEmail: null,
      user_metadata: {},
      identities: [],
      factors: [],
    }
    this.addIdentity(user, { provider: input.provider, subject: input.subject ?? id, email: input.email })
    this.users.set(id, user)
    return user
  }

  addIdentity(user: StoredUser, input: { provider: string; subject: string; email: string }): void {
    user.identities.push({
      identity_id: randomUUID(),
      id: input.subject,
      provider: input.provider,
      email: input.email,
    })
  }

  createSession(userId: string, method: string): StoredSession {
    const session: StoredSession = {
      id: randomUUID(),
      userId,
      aal: 'aal1',
      methods: [{ method, timestamp: this.nowSeconds() }],
      refreshTokens: [],
    }
    this.sessions.set(session.id, session)
    this.issueRefreshToken(session, null)
    return session
  }

  issueRefreshToken(session: StoredSession, parent: string | null): string {
    // The auth server's refresh tokens are twelve lower-case letters and digits.
    const token = randomBytes(12).toString('hex').slice(0, 12)
    session.refreshTokens.push({ token, parent, revoked: false, updatedAtMs: this.nowMs() })
    return token
  }

  sendEmailCode(email: string): void {
    const code = String(randomInt(1_000_000)).padStart(6, '0')
    this.emailCodes.set(email, { code, tokenHash: randomBytes(28).toString('hex') })
  }
}
