import 'server-only'
import { type Selectable, sql } from 'kysely'
import type { Database } from '@/lib/db/database'
import type { HoldTable } from '@/lib/db/schema'
import type { Verbs } from '@/lib/host-mode/domain/contract'
import { isUuid } from '@/lib/http/domain/uuid'
import type { Nano } from '@/lib/money/nano'
import { checkCount } from '../domain/check-input'
import { LedgerError } from '../domain/ledger-error'
import {
  type AccountOrKey,
  type ListUsageInput,
  USAGE_CURSOR,
  type USAGE_VERBS,
  type UsagePage,
  type UsageRecord,
  type UsageSums,
} from '../domain/usage'
import { askDatabase } from './ask-database'
import type { LedgerContext } from './ledger-context'

/** The columns of a hold that the usage list shows. */
const USAGE_COLUMNS = [
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

export function usageVerbs(context: LedgerContext): Verbs<typeof USAGE_VERBS> {
  return {
    listUsage: input => listUsage(context, input),
    getUsage: input => getUsage(context, input),
    findUsage: input => findUsage(context, input),
    sumUsage: input => sumUsage(context, input),
  }
}

/**
 * Ended exchanges, newest first. `from` is inclusive, `to` exclusive.
 *
 * @throws LedgerError unavailable | invalid_input
 */
async function listUsage(context: LedgerContext, input: ListUsageInput): Promise<UsagePage> {
  checkCount(input.limit, 'the limit')
  const query = usageQuery(context, input)
  // One more than requested, to see whether there is a next page.
  const rows = isOwner(input) ? await askDatabase(() => query.limit(input.limit + 1).execute()) : []
  const records = rows.slice(0, input.limit).map(toUsageRecord)
  const last = records.at(-1)
  if (rows.length > input.limit && last) return { records, nextCursor: formatUsageCursor(last) }
  const summedBefore = isOwner(input) ? await findSummedBefore(context.database, input) : null
  return { records, nextCursor: null, ...(summedBefore && { summedBefore }) }
}

async function findSummedBefore(
  database: Database,
  { accountId, keyId, from }: ListUsageInput,
): Promise<Date | null> {
  const end = sql<Date | null>`(max(month) + interval '1 month') at time zone 'UTC'`
  const months = database.kysely
    .selectFrom('usage_month')
    .where('account_id', '=', accountId)
    .select(end.as('end'))
  const query = keyId === null ? months : months.where('key_id', '=', keyId)
  const found = await askDatabase(() => query.executeTakeFirst())
  return found?.end && (!from || from < found.end) ? found.end : null
}

function usageQuery(context: LedgerContext, input: ListUsageInput) {
  let query = endedHolds(context, input)
    .select(USAGE_COLUMNS)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
  if (input.from) query = query.where('created_at', '>=', input.from)
  if (input.to) query = query.where('created_at', '<', input.to)
  if (input.modelId !== null) query = query.where('model_id', '=', input.modelId)
  if (input.cursor !== null) {
    const { createdAt, holdId } = parseUsageCursor(input.cursor)
    query = query.where(sql<boolean>`(created_at, id) < (${createdAt}::timestamptz, ${holdId}::uuid)`)
  }
  return query
}

/** Null for an exchange that is still running, unknown, or another account's. @throws LedgerError unavailable */
export async function getUsage(
  context: LedgerContext,
  input: { accountId: string; holdId: string },
): Promise<UsageRecord | null> {
  const owner = { accountId: input.accountId, keyId: null }
  if (!isOwner(owner) || !isUuid(input.holdId)) return null
  const row = await askDatabase(() =>
    endedHolds(context, owner).select(USAGE_COLUMNS).where('id', '=', input.holdId).executeTakeFirst(),
  )
  return row ? toUsageRecord(row) : null
}

/** Searches the account's own calls of the last month, since ids that hosts give are not known to be unique. */
async function findUsage(
  context: LedgerContext,
  { answerId, ...owner }: AccountOrKey & { answerId: string },
): Promise<UsageRecord | null> {
  if (!isOwner(owner)) return null
  const row = await askDatabase(() =>
    endedHolds(context, owner)
      .select(USAGE_COLUMNS)
      .where(sql<boolean>`usage ->> 'answerId' = ${answerId}`)
      .where(sql<boolean>`created_at > now() - interval '31 days'`)
      .orderBy('created_at', 'desc')
      .limit(1)
      .executeTakeFirst(),
  )
  return row ? toUsageRecord(row) : null
}

/** The total is kept on the account or the key; only the calls of the last weeks are summed. */
async function sumUsage(context: LedgerContext, owner: AccountOrKey): Promise<UsageSums> {
  if (!isOwner(owner)) return { totalNano: 0n, dayNano: 0n, weekNano: 0n, monthNano: 0n }
  const start = (unit: string) => sql<Date>`date_trunc(${unit}, now(), 'UTC')`
  const since = (unit: string) =>
    sql<Nano>`coalesce(sum(charged_nano) filter (where created_at >= ${start(unit)}), 0)::bigint`
  const total =
    owner.keyId === null
      ? sql<Nano>`(select charged_nano from account where id = ${owner.accountId})`
      : sql<Nano>`(select charged_nano from api_key where id = ${owner.keyId} and account_id = ${owner.accountId})`
  return askDatabase(() =>
    endedHolds(context, owner)
      .where('created_at', '>=', sql<Date>`least(${start('week')}, ${start('month')})`)
      .select([
        sql<Nano>`coalesce(${total}, 0)::bigint`.as('totalNano'),
        since('day').as('dayNano'),
        since('week').as('weekNano'),
        since('month').as('monthNano'),
      ])
      .executeTakeFirstOrThrow(),
  )
}

function isOwner({ accountId, keyId }: AccountOrKey): boolean {
  return isUuid(accountId) && (keyId === null || isUuid(keyId))
}

function endedHolds({ database }: LedgerContext, { accountId, keyId }: AccountOrKey) {
  const holds = database.kysely
    .selectFrom('hold')
    .where('account_id', '=', accountId)
    .where('state', '<>', 'open')
  return keyId === null ? holds : holds.where('key_id', '=', keyId)
}

/** Only of a hold that has ended. */
function toUsageRecord(row: UsageRow): UsageRecord {
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

/** The last record of a page; the next page holds older ones. Times are stored to the millisecond. */
interface UsagePosition {
  createdAt: Date
  holdId: string
}

function formatUsageCursor(position: UsagePosition): string {
  return `${position.createdAt.getTime()}.${position.holdId}`
}

/** @throws LedgerError invalid_input for a cursor that is not ours */
function parseUsageCursor(cursor: string): UsagePosition {
  if (!USAGE_CURSOR.test(cursor)) throw new LedgerError('invalid_input', 'The cursor is not one of ours.')
  const [milliseconds = '', holdId = ''] = cursor.split('.')
  return { createdAt: new Date(Number(milliseconds)), holdId }
}
