import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CompiledQuery } from 'kysely'
import type { Database } from '@/lib/db/database'
import { openDatabase, openDatabaseAt } from '@/lib/db/open-database'
import { createEmbeddedLedger } from '@/lib/ledger/server/embedded-ledger'
import { createFundedAccount } from '@/lib/ledger/testing'
import { startPostgres } from '../test/support/postgres.mjs'
import { percentile } from './exchange-client'
import { actFor, holdAndSettle } from './pairs'

/**
 * Hold + settle pairs per second. Run with
 * `npx tsx --conditions=react-server bench/ledger.ts`; `LEDGER_BENCH_SECONDS` sets how long each row takes.
 */
const SECONDS = Number(process.env.LEDGER_BENCH_SECONDS ?? '3')
const WARM_UP_SECONDS = 1
const FUNDS_NANO = 1_000_000_000_000n
/** The number of accounts, and of simultaneous calls. */
const SHAPES = [
  [1, 1],
  [1, 16],
  [1_000, 16],
  [1_000, 64],
] as const

interface Row {
  database: string
  accounts: number
  parallel: number
  'pairs/s': number
  'plain updates/s': number
  ratio: number
  'p50 ms': number
  'p99 ms': number
}

async function measure(name: string, database: Database, accounts: number, parallel: number): Promise<Row> {
  const ledger = createEmbeddedLedger({ database })
  const funded = await Promise.all(
    Array.from({ length: accounts }, () => createFundedAccount(ledger, FUNDS_NANO)),
  )
  const pair = async (index: number) => {
    const account = funded[index % funded.length]
    if (!account) throw new Error('no account')
    await holdAndSettle(ledger, account.credential, { idempotencyKeyHash: randomHash() })
  }
  await actFor(WARM_UP_SECONDS, parallel, pair)
  const durations = await actFor(SECONDS, parallel, pair)
  const plain = await measurePlainUpdates(database, parallel)
  const pairs = durations.length / SECONDS
  return {
    database: name,
    accounts,
    parallel,
    'pairs/s': Math.round(pairs),
    'plain updates/s': Math.round(plain),
    ratio: Number((pairs / plain).toFixed(2)),
    'p50 ms': Number(percentile(durations, 0.5).toFixed(2)),
    'p99 ms': Number(percentile(durations, 0.99).toFixed(2)),
  }
}

/** The yardstick: one row updated by its key, with one round trip and one commit. */
async function measurePlainUpdates(database: Database, parallel: number): Promise<number> {
  const { rows } = await database.kysely.executeQuery<{ id: string }>(
    CompiledQuery.raw(`select id from account where kind = 'credit'`),
  )
  const update = async (index: number) => {
    await database.kysely.executeQuery(
      CompiledQuery.raw('update account set attribution = null where id = $1', [
        rows[index % rows.length]?.id,
      ]),
    )
  }
  await actFor(WARM_UP_SECONDS, parallel, update)
  return (await actFor(SECONDS, parallel, update)).length / SECONDS
}

function randomHash(): string {
  return randomUUID().replaceAll('-', '').repeat(2)
}

export async function measureLedger(): Promise<Row[]> {
  const rows: Row[] = []
  const directory = await mkdtemp(join(tmpdir(), 'tuppence-bench-'))
  const embedded = await openDatabase({ url: null, directUrl: null, dataDirectory: directory })
  for (const [accountCount, parallel] of SHAPES) {
    rows.push(await measure('embedded', embedded, accountCount, parallel))
  }
  await embedded.close()
  await rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })

  const server = await startPostgres()
  const postgres = await openDatabaseAt(server.url)
  for (const [accountCount, parallel] of SHAPES) {
    rows.push(await measure('of the tests', postgres, accountCount, parallel))
  }
  await postgres.close()
  await server.stop()
  return rows
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.table(await measureLedger())
