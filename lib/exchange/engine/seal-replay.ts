import 'server-only'
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const VERSION = 1
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const WRAPPED_KEY_BYTES = NONCE_BYTES + KEY_BYTES + TAG_BYTES

const SLOTS = ['resume', 'idempotency'] as const

/** Any one of them opens the seal; none is stored. */
export type SealSecret = { kind: (typeof SLOTS)[number]; secret: string }

/**
 * Encrypts with a random key, and that key once for each secret (AES-256-GCM, keys by HKDF). The database alone
 * reveals nothing.
 *
 * Layout: version, then a wrapped key per slot (zeros where there is none), then nonce, tag, ciphertext.
 */
export function sealReplay(
  plain: Buffer,
  input: { exchangeId: string; secrets: readonly SealSecret[] },
): Buffer {
  const key = randomBytes(KEY_BYTES)
  const slots = SLOTS.map(kind => {
    const secret = input.secrets.find(candidate => candidate.kind === kind)
    return secret ? encrypt(key, deriveKey(secret, input.exchangeId)) : Buffer.alloc(WRAPPED_KEY_BYTES)
  })
  return Buffer.concat([Buffer.from([VERSION]), ...slots, encrypt(plain, key)])
}

/** Null when the secret does not fit, or the bytes were tampered with. */
export function unsealReplay(
  sealed: Uint8Array,
  input: { exchangeId: string; secret: SealSecret },
): Buffer | null {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength)
  if (bytes[0] !== VERSION) return null
  const slotStart = 1 + SLOTS.indexOf(input.secret.kind) * WRAPPED_KEY_BYTES
  const wrapped = bytes.subarray(slotStart, slotStart + WRAPPED_KEY_BYTES)
  const key = decrypt(wrapped, deriveKey(input.secret, input.exchangeId))
  return key && decrypt(bytes.subarray(1 + SLOTS.length * WRAPPED_KEY_BYTES), key)
}

function deriveKey({ kind, secret }: SealSecret, exchangeId: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, exchangeId, `replay ${kind}`, KEY_BYTES))
}

function encrypt(plain: Buffer, key: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const encrypted = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted])
}

function decrypt(bytes: Buffer, key: Buffer): Buffer | null {
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return null
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()])
  } catch {
    return null
  }
}
