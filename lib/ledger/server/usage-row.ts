import 'server-only'
import type { Selectable } from 'kysely'
import type { HoldTable } from '@/lib/db/schema'
import type { UsageRecord } from '../domain/usage'

/** What of a hold the usage list tells. */
export const USAGE_COLUMNS = [
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

type UsageRow = Pick<Selectable<HoldTable>, (typeof USAGE_COLUMNS)[number]>

/** Only of a hold that has ended. */
export function toUsageRecord(row: UsageRow): UsageRecord {
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
