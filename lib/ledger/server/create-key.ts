import 'server-only'
import { type Kysely, sql } from 'kysely'
import type { Schema } from '@/lib/db/schema'
import { checkAmount, checkHash, isUuid } from '../domain/check-input'
import { ACTIVE_KEY_COUNT_MAX, type ApiKey, type CreateKeyInput, KEY_COUNT_MAX } from '../domain/keys'
import { LedgerError } from '../domain/ledger-error'
import { API_KEY_COLUMNS, CURRENT_USAGE_NANO } from './api-key-row'
import { askDatabase } from './ask-database'
import type { LedgerContext } from './ledger-context'

/**
 * Repeated with the same secret it changes nothing.
 *
 * @throws LedgerError unavailable | unknown_account | too_many_keys | invalid_input
 */
export async function createKey({
  context,
  input,
}: {
  context: LedgerContext
  input: CreateKeyInput
}): Promise<ApiKey> {
  checkHash(input.secretHash, 'the key')
  if (input.usageLimitNano !== null) checkAmount(input.usageLimitNano, 'the limit')
  if (!isUuid(input.accountId)) throw unknownAccount()
  return askDatabase(() =>
    context.database.kysely.transaction().execute(async transaction => {
      await checkKeyCount(transaction, input)
      return insertKey(transaction, input)
    }),
  )
}

/** Under the account's lock, so that keys which are made at the same time count each other. */
async function checkKeyCount(transaction: Kysely<Schema>, input: CreateKeyInput): Promise<void> {
  const account = await transaction
    .selectFrom('account')
    .where('id', '=', input.accountId)
    .where('kind', '=', 'credit')
    .select('id')
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!account) throw unknownAccount()
  const others = await transaction
    .selectFrom('api_key')
    .where('account_id', '=', input.accountId)
    .where('secret_hash', '!=', input.secretHash)
    .select(sql<number>`count(*)::integer`.as('ever'))
    .select(sql<number>`(count(*) filter (where revoked_at is null))::integer`.as('active'))
    .executeTakeFirstOrThrow()
  if (others.active >= ACTIVE_KEY_COUNT_MAX || others.ever >= KEY_COUNT_MAX) {
    throw new LedgerError('too_many_keys', 'The account has as many keys as it may have.')
  }
}

function insertKey(transaction: Kysely<Schema>, input: CreateKeyInput): Promise<ApiKey> {
  return (
    transaction
      .insertInto('api_key')
      .values({
        account_id: input.accountId,
        secret_hash: input.secretHash,
        hint: input.hint,
        label: input.label,
        usage_limit_nano: input.usageLimitNano,
        reset_period: input.resetPeriod,
        usage_period_start: sql<Date>`key_period_start(${input.resetPeriod}, clock_timestamp())`,
        expires_at: input.expiresAt,
      })
      // A repeat after a lost connection: the secret is the caller's own and new, so the row is theirs.
      .onConflict(conflict => conflict.column('secret_hash').doUpdateSet({ hint: input.hint }))
      .returning([...API_KEY_COLUMNS, CURRENT_USAGE_NANO])
      .executeTakeFirstOrThrow()
  )
}

function unknownAccount(): LedgerError {
  return new LedgerError('unknown_account', 'The ledger has no such account.')
}
