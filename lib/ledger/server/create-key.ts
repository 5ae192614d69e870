import 'server-only'
import { sql } from 'kysely'
import type { Database } from '@/lib/db/database'
import { checkAmount, checkHash, isUuid } from '../domain/check-input'
import type { ApiKey, CreateKeyInput } from '../domain/ledger'
import { LedgerError } from '../domain/ledger-error'
import { API_KEY_COLUMNS, CURRENT_USAGE_NANO } from './api-key-row'
import { askDatabase } from './ask-database'
import type { LedgerContext } from './ledger-context'

/** Repeated with the same secret it changes nothing. @throws LedgerError unavailable | unknown_account | invalid_input */
export async function createKey({
  context,
  input,
}: {
  context: LedgerContext
  input: CreateKeyInput
}): Promise<ApiKey> {
  checkHash(input.secretHash, 'the key')
  if (input.usageLimitNano !== null) checkAmount(input.usageLimitNano, 'the limit')
  const key = isUuid(input.accountId)
    ? await askDatabase(() => insertKey(context.database, input))
    : undefined
  if (key) return key
  throw new LedgerError('unknown_account', 'The ledger has no such account.')
}

function insertKey(database: Database, input: CreateKeyInput): Promise<ApiKey | undefined> {
  return (
    database.kysely
      .insertInto('api_key')
      .columns([
        'account_id',
        'secret_hash',
        'hint',
        'label',
        'usage_limit_nano',
        'reset_period',
        'usage_period_start',
        'expires_at',
      ])
      .expression(account =>
        account
          .selectFrom('account')
          .where('id', '=', input.accountId)
          .where('kind', '=', 'credit')
          .select(['id', sql.val(input.secretHash).as('secret_hash')])
          .select([sql`${input.hint}::text`.as('hint'), sql`${input.label}::text`.as('label')])
          .select(sql`${input.usageLimitNano}::bigint`.as('usage_limit_nano'))
          .select(sql`${input.resetPeriod}::text`.as('reset_period'))
          .select(sql`key_period_start(${input.resetPeriod}, clock_timestamp())`.as('usage_period_start'))
          .select(sql`${input.expiresAt}::timestamptz`.as('expires_at')),
      )
      // A repeat after a lost connection: the secret is the caller's own and new, so the row is theirs.
      .onConflict(conflict => conflict.column('secret_hash').doUpdateSet({ hint: input.hint }))
      .returning([...API_KEY_COLUMNS, CURRENT_USAGE_NANO])
      .executeTakeFirst()
  )
}
