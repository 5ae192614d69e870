import 'server-only'
import { sql } from 'kysely'
import type { KeptCheckpoint } from '@/lib/db/schema'
import { checkAmount, checkTtlSeconds, isUuid } from '../domain/check-input'
import type { Checkpoint, RenewInput } from '../domain/holds'
import { askDatabase } from './ask-database'
import type { LedgerContext } from './ledger-context'

/**
 * Gives an open hold `ttlSeconds` from now, by the database's clock; never less than it had. One whose
 * time is over but that no sweep has ended yet is still open, and is kept. Of two checkpoints the one of the
 * greater cost stays: a renewal may be repeated, and overtaken.
 *
 * @throws LedgerError unavailable | invalid_input
 */
export async function renew({
  context,
  input,
}: {
  context: LedgerContext
  input: RenewInput
}): Promise<{ renewed: boolean }> {
  const { holdId, ttlSeconds, checkpoint } = input
  checkTtlSeconds(ttlSeconds)
  if (checkpoint) checkAmount(checkpoint.costNano, 'the cost so far')
  if (!isUuid(holdId)) return { renewed: false }
  const { numUpdatedRows } = await askDatabase(() =>
    context.database.kysely
      .updateTable('hold')
      .set({
        expires_at: sql`greatest(expires_at, clock_timestamp() + make_interval(secs => ${ttlSeconds}))`,
        ...(checkpoint && { checkpoint: laterCheckpoint(checkpoint) }),
      })
      .where('id', '=', holdId)
      .where('state', '=', 'open')
      .executeTakeFirstOrThrow(),
  )
  return { renewed: numUpdatedRows > 0n }
}

function laterCheckpoint({ costNano, usage }: Checkpoint) {
  const later = JSON.stringify({ cost_nano: costNano.toString(), usage })
  return sql<KeptCheckpoint>`case
    when (checkpoint ->> 'cost_nano')::bigint > ${costNano} then checkpoint
    else ${later}::jsonb
  end`
}
