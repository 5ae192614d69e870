import 'server-only'
import { randomUUID } from 'node:crypto'
import type { Database } from '@/lib/db/database'
import { minNano, type Nano } from '@/lib/money/nano'
import { checkAmount, checkHash, checkTtlSeconds } from '../domain/check-input'
import type { HoldInput, HoldResult, HoldState } from '../domain/ledger'
import { LedgerError } from '../domain/ledger-error'
import { callFunction } from './ask-database'

const PLACE_HOLD = 'select * from place_hold($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)'

interface HoldRow {
  outcome: HoldResult['outcome']
  hold_id: string | null
  account_id: string | null
  key_id: string | null
  amount_nano: bigint | null
  available_nano: bigint | null
  hold_state: HoldState | null
  same_request: boolean | null
}

/**
 * Reserves money for an exchange, in one round trip (lib/db/migrations/functions/place-hold.ts). The id
 * is made here, so that a repeat after a lost connection finds the first attempt's hold.
 *
 * @throws LedgerError unavailable | invalid_input
 */
export async function hold({
  database,
  input,
}: {
  database: Database
  input: HoldInput
}): Promise<HoldResult> {
  checkAmount(input.amountNano, 'the amount')
  checkAmount(input.minimumNano, 'the minimum')
  checkTtlSeconds(input.ttlSeconds)
  checkHash(input.credential.secretHash, 'the credential')
  const { exchange } = input
  // A minimum above the upper bound of the cost would refuse what the balance affords.
  const minimumNano = minNano(input.minimumNano, input.amountNano)
  const row = await callFunction<HoldRow>(database, {
    sql: PLACE_HOLD,
    parameters: [
      randomUUID(),
      input.credential.kind,
      input.credential.secretHash,
      input.amountNano,
      minimumNano,
      input.ttlSeconds,
      input.idempotencyKeyHash,
      input.requestHash,
      exchange.queryType,
      exchange.querySource,
      exchange.modelId,
      JSON.stringify(exchange.priceSnapshot),
    ],
  })
  return holdResult(row, minimumNano)
}

function holdResult(row: HoldRow, minimumNano: Nano): HoldResult {
  const { outcome, hold_id: holdId, account_id: accountId, amount_nano: amountNano } = row
  if (outcome === 'unknown_credential') return { outcome }
  if (outcome === 'insufficient_credit' || outcome === 'key_limit_reached') {
    return { outcome, availableNano: row.available_nano ?? 0n, requiredNano: minimumNano }
  }
  if (holdId === null || accountId === null) throw incomplete()
  if (outcome === 'duplicate') {
    if (row.hold_state === null) throw incomplete()
    return { outcome, holdId, accountId, sameRequest: row.same_request === true, state: row.hold_state }
  }
  if (amountNano === null) throw incomplete()
  return { outcome, holdId, accountId, keyId: row.key_id, amountNano }
}

function incomplete(): LedgerError {
  return new LedgerError('unavailable', 'The database answered a hold incompletely.')
}
