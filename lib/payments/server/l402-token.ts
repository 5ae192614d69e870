import 'server-only'
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { hashSecret } from '@/lib/http/credential'
import { isUuid } from '@/lib/http/domain/uuid'
import { isSameSecret } from '@/lib/http/same-secret'

/** What a token stands for: a key of the ledger, which it is the secret of, and the invoice that pays for it. */
export interface L402Token {
  /** 32 random bytes. The ledger keeps their hash alone. */
  tokenId: Buffer
  invoiceId: string
  /** Of that invoice, in hex. */
  paymentHash: string
}

/** In the binary format of macaroons, version 2: its number, then fields of a type, a length and bytes. */
const MACAROON_VERSION = 2
const IDENTIFIER = 2
const SIGNATURE = 6
const END = Buffer.from([0])
/** Of what an L402's identifier says: its version, the payment hash, the token's id. */
const L402_VERSION = Buffer.from([0, 0])
const HASH_BYTES = 32
const CONDITION = 'invoice='

export function newTokenId(): Buffer {
  return randomBytes(HASH_BYTES)
}

/** Neither an API key nor a credit_id has this form: a token's id alone, without the preimage, opens nothing. */
export function tokenIdHash(tokenId: Buffer): string {
  return hashSecret(`l402 ${tokenId.toString('base64url')}`)
}

/**
 * A macaroon as L402's clients read it, in base64. Its signature proves nothing here, since the token's own id
 * is its key: what counts is that the ledger knows the id, and that the token is this one to the last byte. One
 * that its holder has added caveats to is therefore another token, and refused.
 */
export function writeToken({ tokenId, invoiceId, paymentHash }: L402Token): string {
  const identifier = Buffer.concat([L402_VERSION, Buffer.from(paymentHash, 'hex'), tokenId])
  const caveat = Buffer.from(`${CONDITION}${invoiceId}`)
  const rootKey = hmac(Buffer.from('macaroons-key-generator'), tokenId)
  const signature = hmac(hmac(rootKey, identifier), caveat)
  return Buffer.concat([
    Buffer.from([MACAROON_VERSION]),
    ...[field(IDENTIFIER, identifier), END],
    ...[field(IDENTIFIER, caveat), END, END],
    field(SIGNATURE, signature),
  ]).toString('base64')
}

/** Null for a text that is no token of ours. */
export function readToken(text: string): L402Token | null {
  const bytes = Buffer.from(text, 'base64')
  const identifierAt = 1 + FIELD_HEAD_BYTES
  const tokenIdAt = identifierAt + L402_VERSION.length + HASH_BYTES
  const caveatAt = tokenIdAt + HASH_BYTES + END.length + FIELD_HEAD_BYTES
  const tokenId = Buffer.from(bytes.subarray(tokenIdAt, tokenIdAt + HASH_BYTES))
  const paymentHash = bytes.subarray(identifierAt + L402_VERSION.length, tokenIdAt).toString('hex')
  const invoiceId = bytes.subarray(caveatAt + CONDITION.length, caveatAt + CONDITION.length + 36).toString()
  if (!isUuid(invoiceId)) return null
  const token = { tokenId, invoiceId, paymentHash }
  return isSameSecret(text, writeToken(token)) ? token : null
}

/** Whether paying this hash is what taught somebody the preimage, both in hex. Takes the same time either way. */
export function isPreimageOf(preimage: string, paymentHash: string): boolean {
  const hash = createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex')
  return isSameSecret(hash, paymentHash.toLowerCase())
}

const FIELD_HEAD_BYTES = 2

/** All of ours are shorter than 128 bytes, so that one byte tells the length. */
function field(type: number, data: Buffer): Buffer {
  return Buffer.concat([Buffer.from([type, data.length]), data])
}

function hmac(key: Buffer, data: Buffer): Buffer {
  return createHmac('sha256', key).update(data).digest()
}
