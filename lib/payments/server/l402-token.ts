import 'server-only'
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { hashSecret } from '@/lib/http/credential'
import { isUuid } from '@/lib/http/domain/uuid'
import { isSameSecret } from '@/lib/http/same-secret'

/** What a token refers to: a ledger key, whose secret is the token's id, and the invoice that pays for it. */
export interface L402Token {
  /** 32 random bytes, of which the ledger keeps only a hash. */
  tokenId: Buffer
  invoiceId: string
  /** That invoice's payment hash, in hex. */
  paymentHash: string
}

/** The binary macaroon format, version 2: the version, then fields of a type, a length and bytes. */
const MACAROON_VERSION = 2
const IDENTIFIER = 2
const SIGNATURE = 6
const END = Buffer.from([0])
/** The parts of an L402 identifier: its version, the payment hash, the token's id. */
const L402_VERSION = Buffer.from([0, 0])
const HASH_BYTES = 32
const CONDITION = 'invoice='

export function newTokenId(): Buffer {
  return randomBytes(HASH_BYTES)
}

/** Neither an API key nor a credit_id has this form: a token's id opens nothing without the preimage. */
export function tokenIdHash(tokenId: Buffer): string {
  return hashSecret(`l402 ${tokenId.toString('base64url')}`)
}

/**
 * A macaroon in base64, as L402 clients read it. Its signature proves nothing here, since its key is the token's own
 * id: what counts is that the ledger knows the id, and that the token matches to the last byte. A token with caveats
 * added by its holder is therefore rejected.
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

/** Null for text that is not one of our tokens. */
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

/**
 * Whether the preimage belongs to the payment hash, both in hex, which proves the payment. Takes the same time either
 * way.
 */
export function isPreimageOf(preimage: string, paymentHash: string): boolean {
  const hash = createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex')
  return isSameSecret(hash, paymentHash.toLowerCase())
}

const FIELD_HEAD_BYTES = 2

/** Our fields are all shorter than 128 bytes, so that the length fits in one byte. */
function field(type: number, data: Buffer): Buffer {
  return Buffer.concat([Buffer.from([type, data.length]), data])
}

function hmac(key: Buffer, data: Buffer): Buffer {
  return createHmac('sha256', key).update(data).digest()
}
