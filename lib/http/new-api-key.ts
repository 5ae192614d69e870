import 'server-only'
import { randomBytes } from 'node:crypto'
import { hashSecret } from './credential'

/** 192 bits: impossible to guess, and short enough for clients that expect an OpenAI key. */
const SECRET_BYTES = 24
const HINT_LENGTH = 4

/** A fresh API key: the secret to show once, and what the ledger keeps of it. */
export function newApiKey(): { secret: string; secretHash: string; hint: string } {
  const secret = `sk-${randomBytes(SECRET_BYTES).toString('base64url')}`
  return { secret, secretHash: hashSecret(secret), hint: keyHint(secret) }
}

/** The part of a key that may be shown again. */
export function keyHint(secret: string): string {
  return secret.slice(-HINT_LENGTH)
}
