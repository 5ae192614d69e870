import 'server-only'
import type { Database } from '@/lib/db/database'
import type { SettleResult, UsageDetail } from '../domain/ledger'
import { resolveHold } from './resolve-hold'

/** Ends a hold at no cost, exactly once; the exchange is listed at zero. @throws LedgerError unavailable */
export function release({
  database,
  input,
}: {
  database: Database
  input: { holdId: string; usage: UsageDetail }
}): Promise<SettleResult> {
  return resolveHold(database, { ...input, state: 'released', costNano: 0n, onlyExpired: false })
}
