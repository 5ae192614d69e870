import 'server-only'
import { CompiledQuery } from 'kysely'
import type { Database } from '@/lib/db/database'
import type { Nano } from '@/lib/money/nano'
import type { Credential } from '../../domain/accounts'
import type { Ledger } from '../../domain/ledger'
import { createFundedAccount, createTestKey, hashOf } from '../../testing'
import { createEmbeddedLedger } from '../embedded-ledger'
import { createLedgerContext, type LedgerContext } from '../ledger-context'

/** Several servers on one database: each batches its own calls, so that races between them are real. */
const SERVER_COUNT = 4

/** The ledger under test with what it was asked for so far; accounts and holds by the model's numbers. */
export interface RealLedger {
  database: Database
  servers: readonly Ledger[]
  /** Of a sweeper. */
  context: LedgerContext
  accounts: readonly { accountId: string; credential: Credential; keyCredential: Credential }[]
  holdIds: string[]
}

export async function createRealLedger(
  database: Database,
  keyLimitsNano: readonly Nano[],
): Promise<RealLedger> {
  await emptyLedger(database)
  const servers = Array.from({ length: SERVER_COUNT }, () => createEmbeddedLedger({ database }))
  const ledger = serverOf({ servers }, 0)
  const created = await Promise.all(keyLimitsNano.map(() => createFundedAccount(ledger, 0n)))
  // By their ids, in whose order debts are collected.
  created.sort((left, right) => (left.accountId < right.accountId ? -1 : 1))
  const accounts = []
  for (const [number, { accountId, credential }] of created.entries()) {
    const usageLimitNano = keyLimitsNano[number] ?? null
    const key = await createTestKey(ledger, { accountId, usageLimitNano })
    accounts.push({ accountId, credential, keyCredential: key.credential })
  }
  return { database, servers, context: createLedgerContext({ database }), accounts, holdIds: [] }
}

export function serverOf(real: Pick<RealLedger, 'servers'>, number: number): Ledger {
  const server = real.servers[number % real.servers.length]
  if (!server) throw new Error('There is no server.')
  return server
}

export function accountOf(real: RealLedger, number: number) {
  const account = real.accounts[number]
  if (!account) throw new Error(`There is no account ${number}.`)
  return account
}

export function holdIdOf(real: RealLedger, number: number): string {
  const holdId = real.holdIds[number]
  if (holdId === undefined) throw new Error(`There is no hold ${number}.`)
  return holdId
}

export function keyHash(number: number | null): string | null {
  return number === null ? null : hashOf(`idempotency key ${number}`)
}

export async function runSql(database: Database, statement: string): Promise<void> {
  await database.kysely.executeQuery(CompiledQuery.raw(statement))
}

async function emptyLedger(database: Database): Promise<void> {
  await runSql(database, 'alter table transfer disable trigger user')
  for (const table of ['transfer', 'hold', 'api_key', 'leaving', `account where kind = 'credit'`]) {
    await runSql(database, `delete from ${table}`)
  }
  await runSql(database, 'alter table transfer enable trigger user')
}
