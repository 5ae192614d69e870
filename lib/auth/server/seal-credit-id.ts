import 'server-only'
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** AES-256-GCM: 256-bit keys, 96-bit nonces, 128-bit tags. */
const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Binds derived keys to this purpose: the same secret used elsewhere results in other keys. */
const PURPOSE = 'tuppence/account-link/v1'

/**
 * Seals a credit_id for one person, with the first key: `v1.<nonce and ciphertext and tag>`. Bound to the person's id,
 * so that a row copied to another person does not open.
 */
export function sealCreditId(input: { creditId: string; userId: string; keys: readonly string[] }): string {
  const [key] = input.keys
  if (key === undefined) throw new Error('LINK_ENCRYPTION_KEY is not set.')
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, deriveKey(key), nonce)
  cipher.setAAD(Buffer.from(input.userId))
  const sealed = Buffer.concat([
    nonce,
    cipher.update(input.creditId, 'utf8'),
    cipher.final(),
    cipher.getAuthTag(),
  ])
  return `v1.${sealed.toString('base64url')}`
}

/** The credit_id; null if none of the keys sealed it for this person. */
export function openCreditId(input: {
  sealed: string
  userId: string
  keys: readonly string[]
}): string | null {
  const [version, text = ''] = input.sealed.split('.')
  const bytes = Buffer.from(text, 'base64url')
  if (version !== 'v1' || bytes.length <= NONCE_BYTES + TAG_BYTES) return null
  for (const key of input.keys) {
    const creditId = open(bytes, input.userId, key)
    if (creditId !== null) return creditId
  }
  return null
}

function open(bytes: Buffer, userId: string, key: string): string | null {
  try {
    const decipher = createDecipheriv(CIPHER, deriveKey(key), bytes.subarray(0, NONCE_BYTES))
    decipher.setAAD(Buffer.from(userId))
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
    const sealed = bytes.subarray(NONCE_BYTES, -TAG_BYTES)
    return Buffer.concat([decipher.update(sealed), decipher.final()]).toString('utf8')
  } catch {
    return null
  }
}

function deriveKey(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', PURPOSE, KEY_BYTES))
}
