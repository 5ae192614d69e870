import 'server-only'
import type { RefillDatabase } from './refill-table'

export async function findRefillLink(
  database: RefillDatabase,
  input: { tokenHash: string },
): Promise<{ accountId: string } | null> {
  const row = await database
    .selectFrom('refill_link')
    .select('account_id')
    .where('token_hash', '=', input.tokenHash)
    .executeTakeFirst()
  return row ? { accountId: row.account_id } : null
}
