import 'server-only'
import { isUuid } from '../domain/check-input'
import type { ApiKey } from '../domain/keys'
import { API_KEY_COLUMNS, CURRENT_USAGE_NANO } from './api-key-row'
import { askDatabase } from './ask-database'
import type { LedgerContext } from './ledger-context'

/** Null when the account has no such key. @throws LedgerError unavailable */
export async function getKey({
  context,
  input,
}: {
  context: LedgerContext
  input: { accountId: string; keyId: string }
}): Promise<ApiKey | null> {
  if (!isUuid(input.accountId) || !isUuid(input.keyId)) return null
  const key = await askDatabase(() =>
    context.database.kysely
      .selectFrom('api_key')
      .where('account_id', '=', input.accountId)
      .where('id', '=', input.keyId)
      .select([...API_KEY_COLUMNS, CURRENT_USAGE_NANO])
      .executeTakeFirst(),
  )
  return key ?? null
}
