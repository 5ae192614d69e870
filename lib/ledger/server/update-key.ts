import 'server-only'
import { type Kysely, sql } from 'kysely'
import type { Schema } from '@/lib/db/schema'
import { checkAmount, isUuid } from '../domain/check-input'
import type { ApiKey, UpdateKeyInput } from '../domain/keys'
import { API_KEY_COLUMNS, CURRENT_USAGE_NANO } from './api-key-row'
import { askDatabase } from './ask-database'
import type { LedgerContext } from './ledger-context'

/**
 * Changes what is given. Another reset period counts anew what was charged since that period began. A
 * limit below what is already held lets those holds end, and no new one begin.
 *
 * @throws LedgerError unavailable | invalid_input
 */
export async function updateKey({
  context,
  input,
}: {
  context: LedgerContext
  input: UpdateKeyInput
}): Promise<ApiKey | null> {
  if (input.usageLimitNano) checkAmount(input.usageLimitNano, 'the limit')
  if (!isUuid(input.accountId) || !isUuid(input.keyId)) return null
  const key = await askDatabase(() =>
    context.database.kysely.transaction().execute(transaction => update(transaction, input)),
  )
  return key ?? null
}

async function update(transaction: Kysely<Schema>, input: UpdateKeyInput): Promise<ApiKey | undefined> {
  // Locked first, so that the charges counted next are all that will ever be added before this commits.
  const locked = await transaction
    .selectFrom('api_key')
    .where('account_id', '=', input.accountId)
    .where('id', '=', input.keyId)
    .select('reset_period')
    .forUpdate()
    .executeTakeFirst()
  if (!locked) return undefined
  if (input.resetPeriod !== undefined && input.resetPeriod !== locked.reset_period) {
    await startPeriod(transaction, { keyId: input.keyId, resetPeriod: input.resetPeriod })
  }
  return transaction
    .updateTable('api_key')
    .set({
      id: input.keyId,
      label: input.label,
      usage_limit_nano: input.usageLimitNano,
      expires_at: input.expiresAt,
    })
    .where('id', '=', input.keyId)
    .returning([...API_KEY_COLUMNS, CURRENT_USAGE_NANO])
    .executeTakeFirst()
}

async function startPeriod(
  transaction: Kysely<Schema>,
  input: { keyId: string; resetPeriod: ApiKey['resetPeriod'] },
): Promise<void> {
  await sql`
    with period as (select key_period_start(${input.resetPeriod}, clock_timestamp()) as starts_at)
    update api_key
    set reset_period = ${input.resetPeriod},
      usage_period_start = period.starts_at,
      usage_nano = (
        select coalesce(sum(charged_nano), 0)
        from hold
        where account_id = api_key.account_id and key_id = api_key.id
          and state = 'settled' and resolved_at >= period.starts_at
      )
    from period
    where id = ${input.keyId}`.execute(transaction)
}
