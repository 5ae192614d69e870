import { bytesToHex } from '@noble/hashes/utils.js'

const RESUME_KEY_BYTES = 32

/** 32 random bytes in base64url, for the header `x-resume-key`. */
export function createResumeKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(RESUME_KEY_BYTES))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

/** The name by which the server knows an exchange before its id has reached the browser. */
export async function nameOfResumeKey(resumeKey: string): Promise<string> {
  return `resume-${await sha256Hex(resumeKey)}`
}

export async function sha256Hex(text: string): Promise<string> {
  return bytesToHex(await sha256(new TextEncoder().encode(text)))
}

/** On plain HTTP in a local network, browsers offer no `crypto.subtle`. */
async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const { subtle } = globalThis.crypto
  if (subtle) return new Uint8Array(await subtle.digest('SHA-256', bytes))
  return (await import('@noble/hashes/sha2.js')).sha256(bytes)
}
