import 'server-only'
import type { RefillDatabase } from './refill-table'

/** The row goes: nothing is owed to a token once it is revoked. Open invoices are still credited when paid. */
export async function revokeRefillLink(
  database: RefillDatabase,
  input: { accountId: string },
): Promise<{ revoked: boolean }> {
  const { numDeletedRows } = await database
    .deleteFrom('refill_link')
    .where('account_id', '=', input.accountId)
    .executeTakeFirst()
  return { revoked: numDeletedRows > 0n }
}
