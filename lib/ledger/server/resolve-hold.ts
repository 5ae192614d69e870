import 'server-only'
import type { Database } from '@/lib/db/database'
import { isUuid } from '../domain/check-input'
import type { HoldState, SettleResult, UsageDetail } from '../domain/ledger'
import { LedgerError } from '../domain/ledger-error'
import { callFunction } from './ask-database'

const RESOLVE_HOLD = 'select * from resolve_hold($1, $2, $3, $4, $5)'

interface ResolveRow {
  outcome: SettleResult['outcome']
  hold_state: HoldState | null
  charged_nano: bigint | null
  loss_nano: bigint | null
  balance_nano: bigint | null
}

export interface ResolveHoldInput {
  holdId: string
  state: 'settled' | 'released'
  costNano: bigint
  usage: UsageDetail
  /** The sweeper's: leaves a hold alone that was renewed in the meantime. */
  onlyExpired: boolean
}

/** What settle, release and sweep share (lib/db/migrations/functions/resolve-hold.ts). */
export async function resolveHold(database: Database, input: ResolveHoldInput): Promise<SettleResult> {
  if (!isUuid(input.holdId)) return { outcome: 'unknown_hold' }
  const row = await callFunction<ResolveRow>(database, {
    sql: RESOLVE_HOLD,
    parameters: [input.holdId, input.state, input.costNano, JSON.stringify(input.usage), input.onlyExpired],
  })
  const { outcome, charged_nano: chargedNano, balance_nano: balanceNano } = row
  if (outcome === 'unknown_hold') return { outcome }
  if (chargedNano === null || balanceNano === null || row.hold_state === null) {
    throw new LedgerError('unavailable', 'The database answered a settlement incompletely.')
  }
  return outcome === 'resolved'
    ? { outcome, chargedNano, lossNano: row.loss_nano ?? 0n, balanceNano }
    : { outcome, state: row.hold_state, chargedNano, balanceNano }
}
