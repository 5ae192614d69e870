import 'server-only'
import type { RefillLink } from '../domain/refill-links'
import type { RefillDatabase } from './refill-table'

export async function getRefillLink(
  database: RefillDatabase,
  input: { accountId: string },
): Promise<RefillLink | null> {
  const row = await database
    .selectFrom('refill_link')
    .select('created_at')
    .where('account_id', '=', input.accountId)
    .executeTakeFirst()
  return row ? { createdAt: row.created_at } : null
}
