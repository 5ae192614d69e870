import 'server-only'
import { hash } from 'node:crypto'
import type { Credential } from '@/lib/ledger/domain/accounts'
import { ApiError } from './api-error'
import { API_KEY_PATTERN } from './domain/api-key'
import { isUuid } from './domain/uuid'

/** The headers besides `Authorization` that can carry a credential, in the order in which they are read. */
export const CREDENTIAL_HEADERS = ['x-api-key', 'api-key', 'x-credit-id'] as const

/** Credentials that were verified by other means than a secret in a header; see lib/api/tokens.ts. */
const VERIFIED = new WeakMap<Headers, Credential>()

export function setVerifiedCredential(headers: Headers, credential: Credential): void {
  VERIFIED.set(headers, credential)
}

export function hashSecret(secret: string): string {
  return hash('sha256', secret)
}

/** Null if the text has the form of neither a credit_id nor an API key. */
export function parseCredential(text: string): Credential | null {
  if (isUuid(text)) return { kind: 'credit_id', secretHash: hashSecret(text.toLowerCase()) }
  if (API_KEY_PATTERN.test(text)) return { kind: 'api_key', secretHash: hashSecret(text) }
  return null
}

export function hasNoCredential(headers: Headers): boolean {
  return !VERIFIED.has(headers) && !headers.has('authorization') && credentialText(headers) === null
}

/** @throws ApiError invalid_credential if no header carries one, or it is malformed */
export function requireCredential(headers: Headers): Credential {
  const verified = VERIFIED.get(headers)
  if (verified) return verified
  const text = credentialText(headers)
  const credential = text === null ? null : parseCredential(text)
  if (credential) return credential
  throw new ApiError(
    'invalid_credential',
    text === null
      ? 'No credential was sent. Send your credit_id or API key as "Authorization: Bearer …".'
      : 'The credential that was sent is neither a credit_id nor an API key.',
  )
}

/** For routes that manage an account: an API key spends, it does not manage. */
export function requireCreditId(headers: Headers): Credential {
  const credential = requireCredential(headers)
  if (credential.kind === 'credit_id') return credential
  throw new ApiError('forbidden', 'This route needs the credit_id; an API key can only spend.')
}

/** The token of `Authorization: Bearer`; null if there is none. A deployment's own secret may have spaces in it. */
export function bearerToken(headers: Headers): string | null {
  return /^Bearer\s+(.+)$/i.exec(headers.get('authorization')?.trim() ?? '')?.[1] ?? null
}

/** Null if no header carries one. */
export function credentialText(headers: Headers): string | null {
  const bearer = bearerToken(headers)
  if (bearer) return bearer
  for (const name of CREDENTIAL_HEADERS) {
    const value = headers.get(name)?.trim()
    if (value) return value
  }
  return null
}
