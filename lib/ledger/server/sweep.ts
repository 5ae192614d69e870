import 'server-only'
import { sql } from 'kysely'
import { checkCount } from '../domain/check-input'
import type { UsageDetail } from '../domain/ledger'
import { askDatabase } from './ask-database'
import type { LedgerContext } from './ledger-context'
import { resolveHold } from './resolve-hold'

/** Nobody is left to tell what was delivered: the customer pays nothing. */
const EXPIRED: UsageDetail = {
  status: 'expired',
  errorCode: 'hold_expired',
  inputTokenCount: 0,
  cachedInputTokenCount: 0,
  outputTokenCount: 0,
  reasoningTokenCount: 0,
  estimated: false,
  costBasis: 'none',
  upstreamId: null,
  durationMs: 0,
  timeToFirstTokenMs: null,
}

/**
 * Releases open holds whose time is over, the oldest first. One at a time: a batch in one transaction
 * would hold several accounts' locks at once and could deadlock with another sweeper.
 *
 * @throws LedgerError unavailable | invalid_input
 */
export async function sweep({
  context,
  input,
}: {
  context: LedgerContext
  input: { holdCountMax: number }
}): Promise<{ releasedHoldIds: string[] }> {
  checkCount(input.holdCountMax, 'holdCountMax')
  const expired = await askDatabase(() =>
    context.database.kysely
      .selectFrom('hold')
      .select('id')
      .where('state', '=', 'open')
      .where('expires_at', '<=', sql<Date>`clock_timestamp()`)
      .orderBy('expires_at')
      .limit(input.holdCountMax)
      .execute(),
  )
  const releasedHoldIds: string[] = []
  for (const { id } of expired) {
    const result = await resolveHold(context, {
      holdId: id,
      state: 'released',
      costNano: 0n,
      usage: EXPIRED,
      onlyExpired: true,
    })
    if (result.outcome === 'resolved') releasedHoldIds.push(id)
  }
  return { releasedHoldIds }
}
