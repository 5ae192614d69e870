import 'server-only'
import { sql } from 'kysely'
import type { RefillLink } from '../domain/refill-links'
import type { RefillDatabase } from './refill-table'

/** Of two made at once the later one stays; both answers name it truly, the earlier token just ends. */
export async function createRefillLink(
  database: RefillDatabase,
  input: { accountId: string; tokenHash: string },
): Promise<RefillLink> {
  const { created_at: createdAt } = await database
    .insertInto('refill_link')
    .values({ account_id: input.accountId, token_hash: input.tokenHash })
    .onConflict(conflict =>
      conflict.column('account_id').doUpdateSet({ token_hash: input.tokenHash, created_at: sql`now()` }),
    )
    .returning('created_at')
    .executeTakeFirstOrThrow()
  return { createdAt }
}
