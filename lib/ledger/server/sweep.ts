import 'server-only'
import { sql } from 'kysely'
import { checkCount } from '../domain/check-input'
import type { SweepResult, UsageDetail } from '../domain/ledger'
import { askDatabase } from './ask-database'
import type { ResolvedHold } from './hold-messages'
import type { LedgerContext } from './ledger-context'

/** Nobody is left to tell what was delivered: what the last checkpoint says is paid, or nothing. */
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
 * Ends open holds whose time is over, the oldest first. One at a time: a batch in one transaction would
 * hold several accounts' locks at once, for as long as a thousand of them take.
 *
 * @throws LedgerError unavailable | invalid_input
 */
export async function sweep({
  context,
  input,
}: {
  context: LedgerContext
  input: { holdCountMax: number }
}): Promise<SweepResult> {
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
  const swept: SweepResult = { releasedHoldIds: [], settledHoldIds: [] }
  for (const { id } of expired) {
    const ended = await endExpired(context, id)
    if (ended.outcome === 'resolved') swept[`${ended.state}HoldIds`].push(id)
  }
  return swept
}

/** Leaves a hold alone that was renewed since it was found to have expired. */
export function endExpired(context: LedgerContext, holdId: string): Promise<ResolvedHold> {
  return context.resolveHold({ hold_id: holdId, state: 'expired', cost_nano: '0', usage: EXPIRED })
}
