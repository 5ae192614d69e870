import { base64 } from '@scure/base'
import { isObject } from '@/lib/http/domain/is-object'
import { parseStored } from '../storage/json'

/** The stored form of a wallet's connection: unreadable without the passphrase, or the passkey, that sealed it. */
export interface SealedConnection {
  readonly lock: PassphraseLock | PasskeyLock
  readonly iv: Uint8Array<ArrayBuffer>
  readonly sealed: Uint8Array<ArrayBuffer>
}

interface PassphraseLock {
  readonly kind: 'passphrase'
  readonly salt: Uint8Array<ArrayBuffer>
  readonly iterations: number
}

export interface PasskeyLock {
  readonly kind: 'passkey'
  readonly salt: Uint8Array<ArrayBuffer>
  readonly credentialId: Uint8Array<ArrayBuffer>
}

/** OWASP's recommendation for PBKDF2 with HMAC-SHA-256. */
const ITERATIONS = 600_000
/** What a later version may use; more would be damage that blocks the page. */
const ITERATIONS_MAX = 20 * ITERATIONS
const SALT_BYTES = 32
const IV_BYTES = 12
/** The relay, the wallet's key and the secret, several times over. */
const SEALED_BYTES_MAX = 8_000

/** Shorter ones can be guessed within hours by somebody with a copy of the storage. */
export const PASSPHRASE_LENGTH_MIN = 10
const PASSKEY_PURPOSE = new TextEncoder().encode('wallet connection')

/** Not on pages served over plain HTTP in a local network: browsers offer no `crypto.subtle` there. */
export function canSeal(): boolean {
  return Boolean(crypto.subtle)
}

export function passphraseLock(): PassphraseLock {
  return { kind: 'passphrase', salt: newSalt(), iterations: ITERATIONS }
}

export function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(length))
}

export function newSalt(): Uint8Array<ArrayBuffer> {
  return randomBytes(SALT_BYTES)
}

/** The key can be used but not exported, not even by an injected script. */
export async function keyOfPassphrase(passphrase: string, lock: PassphraseLock): Promise<CryptoKey> {
  const secret = new TextEncoder().encode(passphrase.normalize('NFKC'))
  const base = await crypto.subtle.importKey('raw', secret, 'PBKDF2', false, ['deriveKey'])
  const derivation = { name: 'PBKDF2', hash: 'SHA-256', salt: lock.salt, iterations: lock.iterations }
  return deriveKey(derivation, base)
}

/** Derived from the output of the passkey's PRF extension for the lock's salt. */
export async function keyOfPasskeySecret(secret: BufferSource, lock: PasskeyLock): Promise<CryptoKey> {
  const base = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveKey'])
  return deriveKey({ name: 'HKDF', hash: 'SHA-256', salt: lock.salt, info: PASSKEY_PURPOSE }, base)
}

function deriveKey(derivation: Pbkdf2Params | HkdfParams, base: CryptoKey): Promise<CryptoKey> {
  return crypto.subtle.deriveKey(derivation, base, { name: 'AES-GCM', length: 256 }, false, [
    'encrypt',
    'decrypt',
  ])
}

export async function sealConnection(
  connection: string,
  key: CryptoKey,
  lock: SealedConnection['lock'],
): Promise<SealedConnection> {
  const iv = randomBytes(IV_BYTES)
  const text = new TextEncoder().encode(connection)
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, text)
  return { lock, iv, sealed: new Uint8Array(sealed) }
}

/** Null with any key other than the one that sealed it. */
export async function openConnection(
  { iv, sealed }: SealedConnection,
  key: CryptoKey,
): Promise<string | null> {
  try {
    const text = await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, key, sealed)
    return new TextDecoder().decode(text)
  } catch {
    return null
  }
}

export function writeSealedConnection({ lock, iv, sealed }: SealedConnection): string {
  const own =
    lock.kind === 'passphrase'
      ? { iterations: lock.iterations }
      : { credential_id: base64.encode(lock.credentialId) }
  const salt = base64.encode(lock.salt)
  return JSON.stringify({
    lock: lock.kind,
    salt,
    ...own,
    iv: base64.encode(iv),
    sealed: base64.encode(sealed),
  })
}

export function parseSealedConnection(text: string | null): SealedConnection | null {
  const stored = parseStored(text)
  if (!isObject(stored)) return null
  const salt = bytesOf(stored.salt)
  const iv = bytesOf(stored.iv)
  const sealed = bytesOf(stored.sealed)
  if (!salt || !iv || !sealed) return null
  const { iterations } = stored
  if (stored.lock === 'passphrase' && typeof iterations === 'number' && isIterations(iterations)) {
    return { lock: { kind: 'passphrase', salt, iterations }, iv, sealed }
  }
  const credentialId = bytesOf(stored.credential_id)
  if (stored.lock !== 'passkey' || !credentialId) return null
  return { lock: { kind: 'passkey', salt, credentialId }, iv, sealed }
}

function isIterations(value: number): boolean {
  return Number.isInteger(value) && value > 0 && value <= ITERATIONS_MAX
}

function bytesOf(value: unknown): Uint8Array<ArrayBuffer> | null {
  if (typeof value !== 'string' || value === '' || value.length > SEALED_BYTES_MAX) return null
  try {
    return new Uint8Array(base64.decode(value))
  } catch {
    return null
  }
}
