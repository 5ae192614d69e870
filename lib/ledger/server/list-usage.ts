import 'server-only'
import { sql } from 'kysely'
import type { Database } from '@/lib/db/database'
import { checkCount, isUuid } from '../domain/check-input'
import type { ListUsageInput, UsagePage } from '../domain/usage'
import { askDatabase } from './ask-database'
import type { LedgerContext } from './ledger-context'
import { formatUsageCursor, parseUsageCursor } from './usage-cursor'
import { toUsageRecord, USAGE_COLUMNS } from './usage-row'

/**
 * Ended exchanges, newest first. `from` counts in, `to` does not.
 *
 * @throws LedgerError unavailable | invalid_input
 */
export async function listUsage({
  context,
  input,
}: {
  context: LedgerContext
  input: ListUsageInput
}): Promise<UsagePage> {
  checkCount(input.limit, 'the limit')
  const noMatch = !isUuid(input.accountId) || (input.keyId !== null && !isUuid(input.keyId))
  const query = usageQuery(context.database, input)
  // One more than asked for tells whether there is a next page.
  const rows = noMatch ? [] : await askDatabase(() => query.limit(input.limit + 1).execute())
  const records = rows.slice(0, input.limit).map(toUsageRecord)
  const last = records.at(-1)
  return { records, nextCursor: rows.length > input.limit && last ? formatUsageCursor(last) : null }
}

function usageQuery(database: Database, input: ListUsageInput) {
  let query = database.kysely
    .selectFrom('hold')
    .select(USAGE_COLUMNS)
    .where('account_id', '=', input.accountId)
    .where('state', '<>', 'open')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
  if (input.from) query = query.where('created_at', '>=', input.from)
  if (input.to) query = query.where('created_at', '<', input.to)
  if (input.modelId !== null) query = query.where('model_id', '=', input.modelId)
  if (input.keyId !== null) query = query.where('key_id', '=', input.keyId)
  if (input.cursor !== null) {
    const { createdAt, holdId } = parseUsageCursor(input.cursor)
    query = query.where(sql<boolean>`(created_at, id) < (${createdAt}::timestamptz, ${holdId}::uuid)`)
  }
  return query
}
