import 'server-only'
import { sql } from 'kysely'
import type { Database } from '@/lib/db/database'
import { maxNano, minNano, type Nano } from '@/lib/money/nano'
import type { Balance, Credential } from '../domain/accounts'
import { checkHash } from '../domain/check-input'
import { askDatabase } from './ask-database'
import type { LedgerContext } from './ledger-context'

interface BalanceRow {
  accountId: string
  keyId: string | null
  balanceNano: Nano
  heldNano: Nano
  debtNano: Nano
  /** What the key's limit leaves; null without a key or a limit. */
  keyAvailableNano: Nano | null
}

/** The account's own debt, and what collect_debts may still ask of it for others. */
const DEBT_NANO = sql<Nano>`a.debt_nano + least(greatest(a.merged_nano, 0), (
  select coalesce(sum(least(o.debt_nano, -o.merged_nano)), 0)
  from account o
  where o.merge_group_id = a.merge_group_id and o.debt_nano > 0 and o.merged_nano < 0
))::bigint`

/** Null for a credential that is unknown, revoked or expired. @throws LedgerError unavailable | invalid_input */
export async function getBalance({
  context,
  input,
}: {
  context: LedgerContext
  input: { credential: Credential }
}): Promise<Balance | null> {
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
    availableNano:
      keyAvailableNano === null ? availableNano : maxNano(0n, minNano(availableNano, keyAvailableNano)),
  }
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
