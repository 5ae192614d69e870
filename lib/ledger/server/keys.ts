import 'server-only'
import { type Kysely, sql } from 'kysely'
import type { Schema } from '@/lib/db/schema'
import type { Verbs } from '@/lib/host-mode/domain/contract'
import { isUuid } from '@/lib/http/domain/uuid'
import type { Nano } from '@/lib/money/nano'
import { checkAmount, checkHash } from '../domain/check-input'
import {
  ACTIVE_KEY_COUNT_MAX,
  type ApiKey,
  type CreateKeyInput,
  KEY_COUNT_MAX,
  type KEY_VERBS,
  type ResetPeriod,
  type UpdateKeyInput,
} from '../domain/keys'
import { LedgerError, unknownAccount } from '../domain/ledger-error'
import { askDatabase } from './ask-database'
import type { LedgerContext } from './ledger-context'

/** The columns of an ApiKey, under its names. The usage of a past period counts as zero. */
const API_KEY_COLUMNS = [
  'id as keyId',
  'label',
  'hint',
  'usage_limit_nano as usageLimitNano',
  'reset_period as resetPeriod',
  'routing',
  'expires_at as expiresAt',
  'created_at as createdAt',
  'revoked_at as revokedAt',
  sql<Nano>`case
    when key_period_start(reset_period, clock_timestamp()) > usage_period_start then 0
    else usage_nano
  end`.as('usageNano'),
] as const

export function keyVerbs(context: LedgerContext): Verbs<typeof KEY_VERBS> {
  return {
    createKey: input => createKey(context, input),
    listKeys: input => listKeys(context, input),
    getKey: input => getKey(context, input),
    updateKey: input => updateKey(context, input),
    revokeKey: input => revokeKey(context, input),
  }
}

/**
 * A repetition with the same secret changes nothing.
 *
 * @throws LedgerError unavailable | unknown_account | too_many_keys | invalid_input
 */
async function createKey(context: LedgerContext, input: CreateKeyInput): Promise<ApiKey> {
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

/** Under the account's lock, so that keys that are made at the same time count each other. */
async function checkKeyCount(transaction: Kysely<Schema>, input: CreateKeyInput): Promise<void> {
  const account = await transaction
    .selectFrom('account')
    .where('id', '=', input.accountId)
    .where('kind', '=', 'credit')
    .select('id')
    .forNoKeyUpdate()
    .executeTakeFirst()
  // Asked under the lock: whoever knew a leaked credit may have been let in just before its end.
  const { closedFor } = await transaction
    .selectNoFrom(sql<string | null>`closed_for(${input.accountId}::uuid)`.as('closedFor'))
    .executeTakeFirstOrThrow()
  if (!account || closedFor) throw unknownAccount()
  const others = await transaction
    .selectFrom('api_key')
    .where('account_id', '=', input.accountId)
    .where('secret_hash', '!=', input.secretHash)
    .select(sql<number>`count(*)::integer`.as('ever'))
    .select(sql<number>`(count(*) filter (where revoked_at is null))::integer`.as('active'))
    .executeTakeFirstOrThrow()
  if (others.active >= ACTIVE_KEY_COUNT_MAX || others.ever >= KEY_COUNT_MAX) {
    throw new LedgerError('too_many_keys', 'The account has reached the maximum number of API keys.')
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
        routing: input.routing,
        expires_at: input.expiresAt,
      })
      // After a lost connection the row may be there already; the secret is random, so it is the caller's own.
      .onConflict(conflict => conflict.column('secret_hash').doUpdateSet({ hint: input.hint }))
      .returning(API_KEY_COLUMNS)
      .executeTakeFirstOrThrow()
  )
}

/** Newest first, revoked ones included. @throws LedgerError unavailable */
async function listKeys(context: LedgerContext, input: { accountId: string }): Promise<ApiKey[]> {
  if (!isUuid(input.accountId)) return []
  return askDatabase(() =>
    context.database.kysely
      .selectFrom('api_key')
      .where('account_id', '=', input.accountId)
      .select(API_KEY_COLUMNS)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(KEY_COUNT_MAX)
      .execute(),
  )
}

/** Null when the account has no such key. @throws LedgerError unavailable */
async function getKey(
  context: LedgerContext,
  input: { accountId: string; keyId: string },
): Promise<ApiKey | null> {
  if (!isUuid(input.accountId) || !isUuid(input.keyId)) return null
  const key = await askDatabase(() =>
    context.database.kysely
      .selectFrom('api_key')
      .where('account_id', '=', input.accountId)
      .where('id', '=', input.keyId)
      .select(API_KEY_COLUMNS)
      .executeTakeFirst(),
  )
  return key ?? null
}

/**
 * Changes the given fields, in one statement unless the reset period changes, which takes another sum of what was
 * charged since its beginning. With a limit below what is already held, those holds can end, but none can begin.
 *
 * @throws LedgerError unavailable | invalid_input
 */
async function updateKey(context: LedgerContext, input: UpdateKeyInput): Promise<ApiKey | null> {
  const { accountId, keyId, usageLimitNano, resetPeriod } = input
  if (usageLimitNano) checkAmount(usageLimitNano, 'the limit')
  if (!isUuid(accountId) || !isUuid(keyId)) return null
  const { kysely } = context.database
  const isSamePeriod = sql<boolean>`reset_period = coalesce(${resetPeriod ?? null}, reset_period)`
  return askDatabase(async () => {
    const key = await update(kysely, input).where(isSamePeriod).executeTakeFirst()
    if (key || resetPeriod === undefined) return key ?? null
    return kysely.transaction().execute(async transaction => {
      // Locked first, so that no charge is added between the sum and the commit.
      const locked = await transaction
        .selectFrom('api_key')
        .where('account_id', '=', accountId)
        .where('id', '=', keyId)
        .select('id')
        .forUpdate()
        .executeTakeFirst()
      if (!locked) return null
      return update(transaction, input).set(periodFrom(resetPeriod)).executeTakeFirstOrThrow()
    })
  })
}

function update(database: Kysely<Schema>, input: UpdateKeyInput) {
  return database
    .updateTable('api_key')
    .set({
      id: input.keyId,
      label: input.label,
      usage_limit_nano: input.usageLimitNano,
      routing: input.routing,
      expires_at: input.expiresAt,
    })
    .where('account_id', '=', input.accountId)
    .where('id', '=', input.keyId)
    .returning(API_KEY_COLUMNS)
}

function periodFrom(resetPeriod: ResetPeriod) {
  const startsAt = sql<Date>`(select key_period_start(${resetPeriod}, statement_timestamp()))`
  return {
    reset_period: resetPeriod,
    usage_period_start: startsAt,
    usage_nano:
      resetPeriod === 'none'
        ? sql<Nano>`charged_nano`
        : sql<Nano>`(
            select coalesce(sum(hold.charged_nano), 0)
            from hold
            where hold.key_id = api_key.id and hold.state <> 'open' and hold.resolved_at >= ${startsAt}
          )`,
  }
}

/** Repeatable: the time of the first revocation stays. @throws LedgerError unavailable */
async function revokeKey(
  context: LedgerContext,
  input: { accountId: string; keyId: string },
): Promise<ApiKey | null> {
  if (!isUuid(input.accountId) || !isUuid(input.keyId)) return null
  const key = await askDatabase(() =>
    context.database.kysely
      .updateTable('api_key')
      .set({ revoked_at: sql`coalesce(revoked_at, clock_timestamp())` })
      .where('account_id', '=', input.accountId)
      .where('id', '=', input.keyId)
      .returning(API_KEY_COLUMNS)
      .executeTakeFirst(),
  )
  return key ?? null
}
