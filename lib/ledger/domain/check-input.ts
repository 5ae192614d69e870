import { NANO_MAX, type Nano } from '@/lib/money/nano'
import type { Credential } from './accounts'
import { LedgerError } from './ledger-error'

/** Longest reference of a credit; gateways' ids are far shorter. */
const REFERENCE_LENGTH_MAX = 200
/** A day is longer than any answer. */
const TTL_SECONDS_MAX = 86_400
/** Largest page of usage, and largest batch of a sweep. */
const COUNT_MAX = 10_000

const HASH_PATTERN = /^[0-9a-f]{64}$/

/** A hold or a cost: zero for a free model. @throws LedgerError invalid_input */
export function checkAmount(amountNano: Nano, name: string): void {
  if (amountNano < 0n || amountNano > NANO_MAX) throw invalid(`${name} is out of bounds: ${amountNano}`)
}

/** The amount of a transfer, which is never zero. @throws LedgerError invalid_input */
export function checkTransferAmount(amountNano: Nano, name: string): void {
  if (amountNano === 0n) throw invalid(`${name} is zero`)
  checkAmount(amountNano, name)
}

/** @throws LedgerError invalid_input */
export function checkReference(reference: string): void {
  if (reference.length === 0 || reference.length > REFERENCE_LENGTH_MAX) {
    throw invalid(`a reference of ${reference.length} characters`)
  }
}

/** @throws LedgerError invalid_input */
export function checkTtlSeconds(ttlSeconds: number): void {
  if (!Number.isInteger(ttlSeconds) || ttlSeconds <= 0 || ttlSeconds > TTL_SECONDS_MAX) {
    throw invalid(`a hold of ${ttlSeconds} seconds`)
  }
}

/** @throws LedgerError invalid_input */
export function checkCount(count: number, name: string): void {
  if (!Number.isInteger(count) || count <= 0 || count > COUNT_MAX) throw invalid(`${name} is ${count}`)
}

/** Guards against a secret that is passed in place of its hash. @throws LedgerError invalid_input */
export function checkHash(hash: string, name: string): void {
  if (!HASH_PATTERN.test(hash)) throw invalid(`${name} is not a SHA-256 in lowercase hex`)
}

/** Money can only be merged into a credit_id, since a key may only spend. @throws LedgerError invalid_input */
export function checkReceivingCredential(credential: Credential): void {
  checkHash(credential.secretHash, 'the credit to keep')
  if (credential.kind !== 'credit_id') throw invalid('the credit to keep is no credit_id')
}

function invalid(message: string): LedgerError {
  return new LedgerError('invalid_input', `The ledger got an invalid input: ${message}.`)
}
