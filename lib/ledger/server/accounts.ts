import 'server-only'
import { sql } from 'kysely'
import type { Database } from '@/lib/db/database'
import type { Verbs } from '@/lib/host-mode/domain/contract'
import { minNano, type Nano } from '@/lib/money/nano'
import type { ACCOUNT_VERBS, Balance, CreateAccountInput, Credential } from '../domain/accounts'
import { checkHash, checkTtlSeconds } from '../domain/check-input'
import { LedgerError } from '../domain/ledger-error'
import { askDatabase } from './ask-database'
import type { LedgerContext } from './ledger-context'

/** Nobody has named it yet; a page shows it under a name in its reader's language. */
const FIRST_KEY_LABEL = ''

interface CreatedRow {
  accountId: string
  firstKeyId: string | null
}

export function accountVerbs(context: LedgerContext): Verbs<typeof ACCOUNT_VERBS> {
  return {
    createAccount: input => createAccount(context, input),
    getBalance: input => getBalance(context, input),
    findClosedAccount: input => findClosedAccount(context, input),
  }
}

/**
 * Creates an account, with its first key if there is one. A repetition with the same credit_id, which only its holder
 * knows, or with the same key that alone holds an account, returns the existing account.
 *
 * @throws LedgerError unavailable | invalid_input
 */
async function createAccount(context: LedgerContext, input: CreateAccountInput): Promise<CreatedRow> {
  if (input.creditIdHash !== null) checkHash(input.creditIdHash, 'the credit_id')
  if (input.firstKey) checkHash(input.firstKey.secretHash, 'the first key')
  if (input.removeUnpaidAfterSeconds !== undefined) checkTtlSeconds(input.removeUnpaidAfterSeconds)
  const { database } = context
  const find = input.creditIdHash === null ? findAccountOfKey : findAccount
  const created = await askDatabase(
    async () =>
      (input.creditIdHash === null && (await find(database, input))) ||
      (await insertAccount(database, input)) ||
      (await find(database, input)),
  )
  if (created) return created
  throw new LedgerError('unavailable', 'The account was neither created nor found.')
}

/** Undefined if another call was first. */
async function insertAccount(database: Database, input: CreateAccountInput): Promise<CreatedRow | undefined> {
  const attribution = input.attribution === null ? null : JSON.stringify(input.attribution)
  const insert = sql<CreatedRow>`
    with new_account as (
      insert into account (kind, credit_id_hash, attribution, remove_unpaid_at)
      values ('credit', ${input.creditIdHash}, ${attribution}::jsonb,
        now() + make_interval(secs => ${input.removeUnpaidAfterSeconds ?? null}::float8))
      on conflict (credit_id_hash) do nothing
      returning id
    ), first_key as (
      insert into api_key (account_id, secret_hash, hint, label, reset_period, usage_period_start)
      select id, ${input.firstKey?.secretHash ?? null}::text, ${input.firstKey?.hint ?? null}::text,
        ${FIRST_KEY_LABEL}, 'none', '-infinity'
      from new_account
      where ${input.firstKey !== null}
      returning id
    )
    select new_account.id as "accountId", first_key.id as "firstKeyId"
    from new_account left join first_key on true`
  try {
    return (await insert.execute(database.kysely)).rows[0]
  } catch (error) {
    if ((error as { constraint?: string }).constraint === 'api_key_secret_hash_key') return undefined
    throw error
  }
}

/** @throws LedgerError invalid_input without a key, and for a key of an account that has a credit_id */
async function findAccountOfKey(
  database: Database,
  { firstKey }: CreateAccountInput,
): Promise<CreatedRow | undefined> {
  if (firstKey === null) throw new LedgerError('invalid_input', 'An account needs a credit_id or a key.')
  const found = await database.kysely
    .selectFrom('api_key as k')
    .innerJoin('account as a', 'a.id', 'k.account_id')
    .where('k.secret_hash', '=', firstKey.secretHash)
    .select(['a.id as accountId', 'k.id as firstKeyId', 'a.credit_id_hash as creditIdHash'])
    .executeTakeFirst()
  if (!found) return undefined
  if (found.creditIdHash === null) return { accountId: found.accountId, firstKeyId: found.firstKeyId }
  throw new LedgerError('invalid_input', 'The key belongs to an account that has a credit_id.')
}

async function findAccount(database: Database, input: CreateAccountInput): Promise<CreatedRow | undefined> {
  return database.kysely
    .selectFrom('account as a')
    .leftJoin('api_key as k', join =>
      join.onRef('k.account_id', '=', 'a.id').on('k.secret_hash', '=', input.firstKey?.secretHash ?? ''),
    )
    .where('a.credit_id_hash', '=', input.creditIdHash)
    .select(['a.id as accountId', 'k.id as firstKeyId'])
    .executeTakeFirst()
}

interface BalanceRow {
  accountId: string
  keyId: string | null
  balanceNano: Nano
  heldNano: Nano
  debtNano: Nano
  /** What the key's limit leaves; null without a key or a limit. */
  keyAvailableNano: Nano | null
}

/** The account's own debt, and what collect_debts may still take from it for others. */
const DEBT_NANO = sql<Nano>`a.debt_nano + least(greatest(a.merged_nano, 0), (
  select coalesce(sum(least(o.debt_nano, -o.merged_nano)), 0)
  from account o
  where o.merge_group_id = a.merge_group_id and o.debt_nano > 0 and o.merged_nano < 0
))::bigint`

/** Null for an unknown, revoked or expired credential. @throws LedgerError unavailable | invalid_input */
async function getBalance(
  context: LedgerContext,
  input: { credential: Credential },
): Promise<Balance | null> {
  const { kind, secretHash } = input.credential
  checkHash(secretHash, 'the credential')
  const row = await askDatabase(() =>
    kind === 'credit_id' ? byCreditId(context.database, secretHash) : byApiKey(context.database, secretHash),
  )
  if (!row) return null
  const { keyAvailableNano, ...balance } = row
  const availableNano = balance.balanceNano - balance.heldNano
  return {
    ...balance,
    availableNano: keyAvailableNano === null ? availableNano : minNano(availableNano, keyAvailableNano),
  }
}

/** @throws LedgerError unavailable | invalid_input */
async function findClosedAccount(
  { database }: LedgerContext,
  { credential: { kind, secretHash } }: { credential: Credential },
): Promise<string | null> {
  checkHash(secretHash, 'the credential')
  if (kind !== 'credit_id') return null
  const query = database.kysely
    .selectFrom('account')
    .where('credit_id_hash', '=', sql<string>`closed_hash(${secretHash})`)
    .select('id')
  return (await askDatabase(() => query.executeTakeFirst()))?.id ?? null
}

function byCreditId(database: Database, secretHash: string): Promise<BalanceRow | undefined> {
  return database.kysely
    .selectFrom('account as a')
    .where('a.credit_id_hash', '=', secretHash)
    .select(['a.id as accountId', 'a.balance_nano as balanceNano', 'a.held_nano as heldNano'])
    .select([sql<null>`null`.as('keyId'), sql<null>`null`.as('keyAvailableNano'), DEBT_NANO.as('debtNano')])
    .executeTakeFirst()
}

function byApiKey(database: Database, secretHash: string): Promise<BalanceRow | undefined> {
  return database.kysely
    .selectFrom('api_key as k')
    .innerJoin('account as a', 'a.id', 'k.account_id')
    .where('k.secret_hash', '=', secretHash)
    .where('k.revoked_at', 'is', null)
    .where(sql<boolean>`(k.expires_at is null or k.expires_at > clock_timestamp())`)
    .select(['a.id as accountId', 'a.balance_nano as balanceNano', 'a.held_nano as heldNano'])
    .select([
      DEBT_NANO.as('debtNano'),
      'k.id as keyId',
      sql<Nano | null>`key_available_nano(k, clock_timestamp())`.as('keyAvailableNano'),
    ])
    .executeTakeFirst()
}
