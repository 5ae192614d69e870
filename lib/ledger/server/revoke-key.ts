import 'server-only'
import { sql } from 'kysely'
import { isUuid } from '../domain/check-input'
import type { ApiKey } from '../domain/keys'
import { API_KEY_COLUMNS, CURRENT_USAGE_NANO } from './api-key-row'
import { askDatabase } from './ask-database'
import type { LedgerContext } from './ledger-context'

/** Soft, and repeatable: the first revocation's time stays. @throws LedgerError unavailable */
export async function revokeKey({
  context,
  input,
}: {
  context: LedgerContext
  input: { accountId: string; keyId: string }
}): Promise<ApiKey | null> {
  if (!isUuid(input.accountId) || !isUuid(input.keyId)) return null
  const key = await askDatabase(() =>
    context.database.kysely
      .updateTable('api_key')
      .set({ revoked_at: sql`coalesce(revoked_at, clock_timestamp())` })
      .where('account_id', '=', input.accountId)
      .where('id', '=', input.keyId)
      .returning([...API_KEY_COLUMNS, CURRENT_USAGE_NANO])
      .executeTakeFirst(),
  )
  return key ?? null
}
