import 'server-only'
import { sql } from 'kysely'
import type { Database } from '@/lib/db/database'
import { checkCount, isUuid } from '../domain/check-input'
import type { ListUsageInput, UsagePage, UsageRecord } from '../domain/ledger'
import { askDatabase } from './ask-database'
import { formatUsageCursor, parseUsageCursor } from './usage-cursor'

/**
 * Ended exchanges, newest first. `from` counts in, `to` does not.
 *
 * @throws LedgerError unavailable | invalid_input
 */
export async function listUsage({
  database,
  input,
}: {
  database: Database
  input: ListUsageInput
}): Promise<UsagePage> {
  checkCount(input.limit, 'the limit')
  const noMatch = !isUuid(input.accountId) || (input.keyId !== null && !isUuid(input.keyId))
  const query = usageQuery(database, input)
  // One more than asked for tells whether there is a next page.
  const rows = noMatch ? [] : await askDatabase(() => query.limit(input.limit + 1).execute())
  const records = rows.slice(0, input.limit).map(usageRecord)
  const last = records.at(-1)
  return { records, nextCursor: rows.length > input.limit && last ? formatUsageCursor(last) : null }
}

const COLUMNS = [
  'id',
  'key_id',
  'amount_nano',
  'charged_nano',
  'query_type',
  'query_source',
  'model_id',
  'price_snapshot',
  'usage',
  'created_at',
] as const

function usageQuery(database: Database, input: ListUsageInput) {
  let query = database.kysely
    .selectFrom('hold')
    .select(COLUMNS)
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

function usageRecord(
  row: Awaited<ReturnType<ReturnType<typeof usageQuery>['execute']>>[number],
): UsageRecord {
  if (row.usage === null) throw new Error(`Hold ${row.id} has ended without a usage.`)
  return {
    ...row.usage,
    holdId: row.id,
    keyId: row.key_id,
    queryType: row.query_type,
    querySource: row.query_source,
    modelId: row.model_id,
    priceSnapshot: row.price_snapshot,
    heldNano: row.amount_nano,
    chargedNano: row.charged_nano ?? 0n,
    createdAt: row.created_at,
  }
}
