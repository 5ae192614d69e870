import 'server-only'
import { sql } from 'kysely'
import { checkCount } from '../domain/check-input'
import type { SweepResult } from '../domain/holds'
import type { UsageDetail } from '../domain/usage'
import { askDatabase } from './ask-database'
import type { ResolvedHold } from './hold-messages'
import type { LedgerContext } from './ledger-context'

/**
 * How long a call that cost nothing stays listed. Each is a row that nobody paid for, so they must not pile up;
 * a month is enough to see what failed, and no retry comes later under its idempotency key.
 */
const FREE_CALL_RETENTION_DAYS = 30

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
 * Ends open holds whose time is over, the oldest first, and forgets old calls that cost nothing. One at a time: a batch in one transaction would
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
  await prune(context, input.holdCountMax)
  return swept
}

/** Released holds without a loss: no transfer and no usage of a key hangs on one. */
async function prune({ database }: LedgerContext, holdCountMax: number): Promise<void> {
  await askDatabase(() =>
    database.kysely
      .deleteFrom('hold')
      .where('id', 'in', forgettable =>
        forgettable
          .selectFrom('hold')
          .select('id')
          .where('state', '=', 'released')
          .where('loss_nano', '=', 0n)
          .where(
            sql<boolean>`resolved_at < clock_timestamp() - make_interval(days => ${FREE_CALL_RETENTION_DAYS})`,
          )
          .orderBy('resolved_at')
          .limit(holdCountMax)
          .forUpdate()
          .skipLocked(),
      )
      .execute(),
  )
}

/** Leaves a hold alone that was renewed since it was found to have expired. */
export function endExpired(context: LedgerContext, holdId: string): Promise<ResolvedHold> {
  return context.resolveHold({ hold_id: holdId, state: 'expired', cost_nano: '0', usage: EXPIRED })
}
