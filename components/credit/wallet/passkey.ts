import {
  keyOfPasskeySecret,
  newSalt,
  type PasskeyLock,
  randomBytes,
} from '@/lib/local/wallet/sealed-connection'

const CHALLENGE_BYTES = 32
const USER_ID_BYTES = 32
/** ES256 and RS256: every authenticator supports one of them. */
const ALGORITHMS = [-7, -257]

/** Whether this browser's passkeys can seal data (the PRF extension of WebAuthn). */
export async function canSealByPasskey(): Promise<boolean> {
  if (typeof PublicKeyCredential === 'undefined') return false
  const capabilities = await PublicKeyCredential.getClientCapabilities?.().catch(() => null)
  return capabilities?.['extension:prf'] === true
}

/** Creates a passkey of this site for the wallet alone. Null if it was refused, or the device does not support PRF. */
export async function makePasskeyLock(name: string): Promise<{ lock: PasskeyLock; key: CryptoKey } | null> {
  try {
    const made = await navigator.credentials.create({
      publicKey: {
        // The signature is not checked: the passkey is only used for its secret.
        challenge: randomBytes(CHALLENGE_BYTES),
        rp: { name: location.hostname },
        user: { id: randomBytes(USER_ID_BYTES), name, displayName: name },
        pubKeyCredParams: ALGORITHMS.map(alg => ({ type: 'public-key', alg })),
        authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
        extensions: { prf: {} },
      },
    })
    if (!(made instanceof PublicKeyCredential)) return null
    if (made.getClientExtensionResults().prf?.enabled !== true) return null
    const lock = { kind: 'passkey', salt: newSalt(), credentialId: new Uint8Array(made.rawId) } as const
    const key = await keyOfPasskey(lock)
    return key && { lock, key }
  } catch {
    return null
  }
}

/** Null if the person or the device refuses. */
export async function keyOfPasskey(lock: PasskeyLock): Promise<CryptoKey | null> {
  try {
    const got = await navigator.credentials.get({
      publicKey: {
        challenge: randomBytes(CHALLENGE_BYTES),
        allowCredentials: [{ type: 'public-key', id: lock.credentialId }],
        userVerification: 'required',
        extensions: { prf: { eval: { first: lock.salt } } },
      },
    })
    if (!(got instanceof PublicKeyCredential)) return null
    const secret = got.getClientExtensionResults().prf?.results?.first
    return secret ? await keyOfPasskeySecret(secret, lock) : null
  } catch {
    return null
  }
}
