import 'server-only'
import { sql } from 'kysely'
import { checkTtlSeconds, isUuid } from '../domain/check-input'
import { askDatabase } from './ask-database'
import type { LedgerContext } from './ledger-context'

/**
 * Gives an open hold `ttlSeconds` from now, by the database's clock; never less than it had. One whose
 * time is over but that no sweep has ended yet is still open, and is kept.
 *
 * @throws LedgerError unavailable | invalid_input
 */
export async function renew({
  context,
  input,
}: {
  context: LedgerContext
  input: { holdId: string; ttlSeconds: number }
}): Promise<{ renewed: boolean }> {
  checkTtlSeconds(input.ttlSeconds)
  if (!isUuid(input.holdId)) return { renewed: false }
  const { numUpdatedRows } = await askDatabase(() =>
    context.database.kysely
      .updateTable('hold')
      .set({
        expires_at: sql`greatest(expires_at, clock_timestamp() + make_interval(secs => ${input.ttlSeconds}))`,
      })
      .where('id', '=', input.holdId)
      .where('state', '=', 'open')
      .executeTakeFirstOrThrow(),
  )
  return { renewed: numUpdatedRows > 0n }
}
