import 'server-only'
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto'
import type { Database } from '@/lib/db/database'
import type { Verbs } from '@/lib/host-mode/domain/contract'
import {
  RECEIPT_KEY_COUNT_MAX,
  type RECEIPT_VERBS,
  type ReceiptKey,
  receiptOf,
  type SignReceiptInput,
  sortedByName,
} from '../domain/receipts'
import { askDatabase } from './ask-database'
import type { LedgerContext } from './ledger-context'
import { getUsage } from './usage'

/**
 * Receipts are signed here and nowhere else: a private key never leaves this file.
 *
 * @param settingSeed the operator's own key (`RECEIPT_KEY`), 32 bytes; null to use one that the database keeps
 */
export function receiptVerbs(
  context: LedgerContext,
  settingSeed: Buffer | null,
): Verbs<typeof RECEIPT_VERBS> {
  const { database } = context
  return {
    signReceipt: async input => {
      const payload = await findPayload(context, input)
      if (payload === null) return null
      const { publicKey, privateKey } = await currentKey(database, settingSeed)
      const header = { alg: 'EdDSA', kid: publicKey.kid, typ: 'receipt+jws' }
      const signed = `${encode(header)}.${encode(payload)}`
      return { jws: `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}` }
    },
    listReceiptKeys: async () => {
      await currentKey(database, settingSeed)
      const rows = await askDatabase(() =>
        database.kysely
          .selectFrom('receipt_key')
          .select('public_key')
          .orderBy('created_at', 'desc')
          .orderBy('kid')
          .limit(RECEIPT_KEY_COUNT_MAX)
          .execute(),
      )
      return rows.map(row => publicKeyOf(row.public_key))
    },
  }
}

export async function replaceReceiptKey(database: Database): Promise<void> {
  await askDatabase(() =>
    database.kysely
      .updateTable('receipt_key')
      .set({ private_key: null })
      .where('private_key', 'is not', null)
      .execute(),
  )
}

async function findPayload(context: LedgerContext, { accountId, keyId, holdId, iss }: SignReceiptInput) {
  const record = await getUsage(context, { accountId, holdId })
  // The same answer for an unknown call, somebody else's, and another key's.
  if (!record || (keyId !== null && record.keyId !== keyId)) return null
  const prices = JSON.stringify(sortedByName(record.priceSnapshot))
  const priceVersion = `sha256:${createHash('sha256').update(prices).digest('hex')}`
  return receiptOf(record, { iss, priceVersion })
}

interface SigningKey {
  publicKey: ReceiptKey
  privateKey: KeyObject
}

/**
 * Read for each receipt, so that every process signs with the current key. If several processes generate the first key,
 * the database takes one of them, and all use that.
 */
async function currentKey(database: Database, settingSeed: Buffer | null): Promise<SigningKey> {
  if (settingSeed) {
    const own = signingKeyOf(settingSeed)
    await keep(database, own.publicKey, null)
    return own
  }
  const kept = await findCurrent(database)
  if (kept) return kept
  const made = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  const seed = Buffer.from(made.d ?? '', 'base64url')
  await keep(database, signingKeyOf(seed).publicKey, seed.toString('base64url'))
  const winner = await findCurrent(database)
  if (winner) return winner
  // It was replaced meanwhile.
  return currentKey(database, settingSeed)
}

async function findCurrent(database: Database): Promise<SigningKey | null> {
  const row = await askDatabase(() =>
    database.kysely
      .selectFrom('receipt_key')
      .select('private_key')
      .where('private_key', 'is not', null)
      .executeTakeFirst(),
  )
  return row?.private_key ? signingKeyOf(Buffer.from(row.private_key, 'base64url')) : null
}

async function keep(database: Database, publicKey: ReceiptKey, privateKey: string | null): Promise<void> {
  const { kid, x } = publicKey
  await askDatabase(() =>
    database.kysely
      .insertInto('receipt_key')
      .values({ kid, public_key: x, private_key: privateKey })
      .onConflict(conflict => conflict.doNothing())
      .execute(),
  )
}

/** The ASN.1 prefix of an Ed25519 key (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

function signingKeyOf(seed: Buffer): SigningKey {
  const key = Buffer.concat([PKCS8_PREFIX, seed])
  const privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' })
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' })
  return { privateKey, publicKey: publicKeyOf(x) }
}

function publicKeyOf(x: string): ReceiptKey {
  const required = { crv: 'Ed25519', kty: 'OKP', x } as const
  const kid = createHash('sha256').update(JSON.stringify(required)).digest('base64url')
  return { ...required, kid, use: 'sig', alg: 'EdDSA' }
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
