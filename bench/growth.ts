import { writeFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import type { Database } from '@/lib/db/database'
import { openDatabaseAt } from '@/lib/db/open-database'
import { PATIENT_QUERY_TIMEOUT_MS } from '@/lib/db/open-postgres'
import type { ListUsageInput } from '@/lib/ledger/domain/usage'
import { createBooks } from '@/lib/ledger/server/books'
import { checkLedger } from '@/lib/ledger/server/check-ledger'
import { createEmbeddedLedger } from '@/lib/ledger/server/embedded-ledger'
import { startPostgres } from '../test/support/postgres.mjs'
import { percentile } from './exchange-client'
import { ACCOUNT_COUNT, generateBooks, generated } from './growth-data'
import { actFor, holdAndSettle } from './pairs'

/**
 * How costs grow with the number of calls in the books: `npx tsx --conditions=react-server bench/growth.ts`.
 * `BENCH_HOLDS` sets the sizes (`1e4,1e6`; 1e7 takes 15 GB and half an hour), `BENCH_JSON` a file for the figures,
 * `TEST_DATABASE_URL` a superuser's URL of a PostgreSQL to use instead of its own.
 */
const HOLD_COUNTS = (process.env.BENCH_HOLDS ?? '1e4,1e6').split(',').map(Number)
const PAIR_SECONDS = 4
const PARALLEL_COUNT = 16
const REPEAT_COUNT_MAX = 300
const REPEAT_MS = 1_500
const PAGE_SIZE = 50

type Figures = Record<string, number>

/** The figures of each size: median milliseconds, unless stated otherwise. */
export async function measureGrowth(holdCounts = HOLD_COUNTS): Promise<Record<string, Figures>> {
  const server = await startPostgres()
  const sizes: Record<string, Figures> = {}
  try {
    for (const holdCount of holdCounts) sizes[`${holdCount} holds`] = await measureSize(server.url, holdCount)
  } finally {
    await server.stop()
  }
  return sizes
}

async function measureSize(serverUrl: string, holdCount: number): Promise<Figures> {
  const name = `growth_${holdCount}`
  const admin = await connect(serverUrl)
  await admin.query(`create database ${name}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  await (await openDatabaseAt(url.href)).close()
  const client = await connect(url.href)
  try {
    const startedAt = performance.now()
    await generateBooks(client, holdCount)
    console.error(`${holdCount} holds written in ${Math.round((performance.now() - startedAt) / 1_000)} s`)
    const database = await openDatabaseAt(url.href)
    try {
      return { ...(await measureVerbs(url.href, database, holdCount)), ...(await sizesOf(client)) }
    } finally {
      await database.close()
    }
  } finally {
    await client.end()
    await admin.query(`drop database ${name} with (force)`)
    await admin.end()
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}

async function measureVerbs(url: string, database: Database, holdCount: number): Promise<Figures> {
  const ledger = createEmbeddedLedger({ database })
  const books = createBooks({ database })
  const busiest = generated.accountId(generated.busiest)
  const page = (input: Partial<ListUsageInput>) =>
    ledger.listUsage({
      ...{ accountId: busiest, limit: PAGE_SIZE, cursor: null, from: null, to: null },
      ...{ modelId: null, keyId: null, ...input },
    })
  const middle = Date.now() - 540 * 24 * 3_600_000
  const answerId = generated.answerId(holdCount)
  const found = await ledger.findUsage({ accountId: busiest, keyId: null, answerId })
  if (found?.answerId !== answerId) throw new Error('The generated answer is not found.')
  const anybody = () => Math.floor(Math.random() * ACCOUNT_COUNT)
  const pair = (number: number) => holdAndSettle(ledger, generated.credential(number))
  return {
    start: await median(async () => (await openDatabaseAt(url)).close()),
    balance: await median(() => ledger.getBalance({ credential: generated.credential(anybody()) })),
    'hold and settle': await median(() => pair(anybody())),
    'pairs/s, 16 at once': await perSecond(() => pair(anybody())),
    'pairs/s, 16 at once, one account': await perSecond(() => pair(generated.busiest)),
    'history: anybody’s first page': await median(() => page({ accountId: generated.accountId(anybody()) })),
    'history: first page of the busiest': await median(() => page({})),
    'history: a page far back': await median(() => page({ cursor: `${middle}.${generated.accountId(0)}` })),
    'history: of a key seldom used': await median(() => page({ keyId: generated.seldomKeyId })),
    'history: of a model seldom used': await median(() => page({ modelId: generated.seldomModelId })),
    'history: of a model never used': await median(() => page({ modelId: 'bench/never' })),
    'generation by its answer’s name': await median(() =>
      ledger.findUsage({ accountId: busiest, keyId: null, answerId }),
    ),
    'generation that is not there': await median(() =>
      ledger.findUsage({ accountId: busiest, keyId: null, answerId: 'gen-none' }),
    ),
    'credits: anybody’s sum': await median(() =>
      ledger.sumUsage({ accountId: generated.accountId(anybody()), keyId: null }),
    ),
    'credits: sum of the busiest': await median(() => ledger.sumUsage({ accountId: busiest, keyId: null })),
    sweep: await median(() => ledger.sweep({ holdCountMax: 1_000 })),
    'ops usage, 30 days': await median(() => books.usageByDay({ dayCountMax: 30 })),
    'ledger:check': await median(() => check(url)),
  }
}

/** As the command does. */
async function check(url: string): Promise<void> {
  const database = await openDatabaseAt(url, { queryTimeoutMs: PATIENT_QUERY_TIMEOUT_MS })
  const [difference] = (await checkLedger({ database })).differences
  await database.close()
  if (difference) throw new Error(`${difference.invariant}: ${difference.subject}`)
}

async function median(act: () => Promise<unknown>): Promise<number> {
  const durations: number[] = []
  const end = performance.now() + REPEAT_MS
  while (durations.length === 0 || (durations.length < REPEAT_COUNT_MAX && performance.now() < end)) {
    const startedAt = performance.now()
    await act()
    durations.push(performance.now() - startedAt)
  }
  return percentile(durations, 0.5)
}

async function perSecond(act: () => Promise<unknown>): Promise<number> {
  return (await actFor(PAIR_SECONDS, PARALLEL_COUNT, act)).length / PAIR_SECONDS
}

async function sizesOf(client: pg.Client): Promise<Figures> {
  const { rows } = await client.query<{ name: string; megabytes: number }>(`
    select relname as name, pg_total_relation_size(oid)::float8 / 1048576 as megabytes
    from pg_class where relname in ('hold', 'transfer')`)
  return Object.fromEntries(rows.map(({ name, megabytes }) => [`MB of ${name}, with its indexes`, megabytes]))
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const sizes = await measureGrowth()
  const names = Object.keys(Object.values(sizes)[0] ?? {})
  const rows = names.map(name => {
    const row = Object.entries(sizes).map(([size, figures]) => [size, rounded(figures[name])] as const)
    return [name, Object.fromEntries(row)] as const
  })
  console.table(Object.fromEntries(rows))
  console.log(`load average ${loadavg()[0]?.toFixed(2)}`)
  if (process.env.BENCH_JSON) await writeFile(process.env.BENCH_JSON, JSON.stringify(sizes, null, 2))
}

function rounded(value = Number.NaN): number {
  return Number(value.toPrecision(3))
}
