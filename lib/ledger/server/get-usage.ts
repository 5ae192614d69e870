import 'server-only'
import { isUuid } from '../domain/check-input'
import type { UsageRecord } from '../domain/usage'
import { askDatabase } from './ask-database'
import type { LedgerContext } from './ledger-context'
import { toUsageRecord, USAGE_COLUMNS } from './usage-row'

/** Null for an exchange that still runs, another account's and an unknown one. @throws LedgerError unavailable */
export async function getUsage({
  context,
  input,
}: {
  context: LedgerContext
  input: { accountId: string; holdId: string }
}): Promise<UsageRecord | null> {
  if (!isUuid(input.accountId) || !isUuid(input.holdId)) return null
  const row = await askDatabase(() =>
    context.database.kysely
      .selectFrom('hold')
      .select(USAGE_COLUMNS)
      .where('id', '=', input.holdId)
      .where('account_id', '=', input.accountId)
      .where('state', '<>', 'open')
      .executeTakeFirst(),
  )
  return row ? toUsageRecord(row) : null
}
