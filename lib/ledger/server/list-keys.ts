import 'server-only'
import { isUuid } from '../domain/check-input'
import { type ApiKey, KEY_COUNT_MAX } from '../domain/keys'
import { API_KEY_COLUMNS, CURRENT_USAGE_NANO } from './api-key-row'
import { askDatabase } from './ask-database'
import type { LedgerContext } from './ledger-context'

/** Newest first, revoked ones included. @throws LedgerError unavailable */
export async function listKeys({
  context,
  input,
}: {
  context: LedgerContext
  input: { accountId: string }
}): Promise<ApiKey[]> {
  if (!isUuid(input.accountId)) return []
  return askDatabase(() =>
    context.database.kysely
      .selectFrom('api_key')
      .where('account_id', '=', input.accountId)
      .select([...API_KEY_COLUMNS, CURRENT_USAGE_NANO])
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(KEY_COUNT_MAX)
      .execute(),
  )
}
