import {
  createHash,
  createHmac,
  createSecretKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  randomBytes,
  randomUUID,
  sign,
  verify,
} from 'node:crypto'

/** HS256 is what projects had before signing keys; nothing of it is published. */
export type SigningAlgorithm = 'ES256' | 'RS256' | 'HS256'

export interface SigningKey {
  kid: string
  alg: SigningAlgorithm
  privateKey: KeyObject
  publicKey: KeyObject
}

export function createSigningKey(alg: SigningAlgorithm): SigningKey {
  if (alg === 'HS256') {
    const secret = createSecretKey(randomBytes(32))
    return { kid: randomUUID(), alg, privateKey: secret, publicKey: secret }
  }
  const pair =
    alg === 'ES256'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: 2048 })
  return { kid: randomUUID(), alg, ...pair }
}

/** One entry of `/.well-known/jwks.json`, as published by the auth server. */
export function publicJwk(key: SigningKey): JsonWebKey {
  const jwk = key.publicKey.export({ format: 'jwk' })
  return { ...jwk, alg: key.alg, kid: key.kid, key_ops: ['verify'], use: 'sig' }
}

export function signJwt(key: SigningKey, claims: object, header: object = {}): string {
  const input = `${encode({ alg: key.alg, kid: key.kid, typ: 'JWT', ...header })}.${encode(claims)}`
  return `${input}.${signature(key, input).toString('base64url')}`
}

/** The claims of an unexpired token signed by one of the keys; otherwise null. */
export function readJwt(
  keys: readonly SigningKey[],
  token: string,
  nowSeconds: number,
): Record<string, unknown> | null {
  const [header = '', payload = '', signed = ''] = token.split('.')
  const key = keys.find(candidate => candidate.kid === decode(header)?.kid)
  if (!key || decode(header)?.alg !== key.alg) return null
  if (!isSigned(key, `${header}.${payload}`, Buffer.from(signed, 'base64url'))) return null
  const claims = decode(payload)
  return claims && typeof claims.exp === 'number' && claims.exp > nowSeconds ? claims : null
}

/** An OAuth 2 "S256" code challenge (RFC 7636). */
export function codeChallenge(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}

export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function signature(key: SigningKey, input: string): Buffer {
  if (key.alg === 'HS256') return createHmac('sha256', key.privateKey).update(input).digest()
  return sign('sha256', Buffer.from(input), { key: key.privateKey, dsaEncoding: 'ieee-p1363' })
}

function isSigned(key: SigningKey, input: string, signed: Buffer): boolean {
  if (key.alg === 'HS256') return signature(key, input).equals(signed)
  return verify('sha256', Buffer.from(input), { key: key.publicKey, dsaEncoding: 'ieee-p1363' }, signed)
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function decode(part: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    return typeof value === 'object' && value !== null ? { ...value } : null
  } catch {
    return null
  }
}
