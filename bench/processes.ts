import { type ChildProcess, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { fileURLToPath, pathToFileURL } from 'node:url'
import pg from 'pg'
import { openDatabaseAt } from '@/lib/db/open-database'
import type { Credential } from '@/lib/ledger/domain/accounts'
import { checkLedger } from '@/lib/ledger/server/check-ledger'
import { createEmbeddedLedger } from '@/lib/ledger/server/embedded-ledger'
import { createFundedAccount } from '@/lib/ledger/testing'
import { startPooler } from '../test/stand-ins/pooler'
import { startPostgres } from '../test/support/postgres.mjs'
import { percentile } from './exchange-client'
import { actFor, holdAndSettle } from './pairs'

/**
 * Holds and settlements by one, two and four processes on one PostgreSQL, directly and behind a pooler in transaction
 * mode: `npx tsx --conditions=react-server bench/processes.ts`. The pooler is the tests' stand-in, in one thread;
 * `TEST_DATABASE_URL` with `BENCH_POOLER_URL` names a server and a real pooler in front of it. `BENCH_JSON` is a file
 * for the figures. At the end the books must balance.
 */
const PROCESS_COUNTS = [1, 2, 4]
const SECONDS = 5
const WARM_UP_SECONDS = 1
const PARALLEL_COUNT = 32
const ACCOUNT_COUNT = 200
const FUNDS_NANO = 1_000_000_000_000n
const POOLER_SESSION_COUNT = 10

interface Figures {
  'pairs/s': number
  'p50 ms': number
  'p99 ms': number
}

export async function measureProcesses(): Promise<Record<string, Figures>> {
  const server = await startPostgres()
  const url = new URL(server.url)
  url.pathname = `/processes_${randomUUID().slice(0, 8)}`
  await asAdmin(server.url, `create database ${url.pathname.slice(1)}`)
  const database = await openDatabaseAt(url.href)
  const given = process.env.BENCH_POOLER_URL
  const stand = given ? null : await startPooler(url.href, POOLER_SESSION_COUNT)
  const pooled = new URL(given ?? stand?.url ?? '')
  pooled.pathname = url.pathname
  const figures: Record<string, Figures> = {}
  try {
    for (const [name, address] of [
      ['directly', url.href],
      ['behind a pooler', pooled.href],
    ] as const) {
      for (const count of PROCESS_COUNTS) {
        const each = count === 1 ? '1 process' : `${count} processes`
        figures[`${each} ${name}`] = await measure(address, count)
      }
    }
    const { differences } = await checkLedger({ database })
    if (differences.length > 0) throw new Error(JSON.stringify(differences[0], (_, value) => String(value)))
    return figures
  } finally {
    await stand?.stop()
    await database.close()
    await asAdmin(server.url, `drop database ${url.pathname.slice(1)} with (force)`)
    await server.stop()
  }
}

async function asAdmin(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(statement)
  await client.end()
}

async function measure(url: string, count: number): Promise<Figures> {
  const children = Array.from({ length: count }, () =>
    fork(fileURLToPath(import.meta.url), ['worker', url], {
      execArgv: ['--import', 'tsx', '--conditions=react-server', '--no-warnings'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    }),
  )
  const tell = async (child: ChildProcess) => (await once(child, 'message'))[0]
  await Promise.all(children.map(tell))
  const answers = Promise.all(children.map(tell))
  for (const child of children) child.send('go')
  const durations = (await answers).flat() as number[]
  return {
    'pairs/s': Math.round(durations.length / SECONDS),
    'p50 ms': Number(percentile(durations, 0.5).toFixed(1)),
    'p99 ms': Number(percentile(durations, 0.99).toFixed(1)),
  }
}

/** A process of a deployment, without its pages. */
async function work(url: string): Promise<void> {
  const database = await openDatabaseAt(url)
  const ledger = createEmbeddedLedger({ database })
  const credentials: Credential[] = []
  for (let index = 0; index < ACCOUNT_COUNT; index += 1) {
    credentials.push((await createFundedAccount(ledger, FUNDS_NANO)).credential)
  }
  const pair = async () => {
    const credential = credentials[Math.floor(Math.random() * credentials.length)]
    if (!credential) throw new Error('There is no account.')
    await holdAndSettle(ledger, credential)
  }
  process.once('message', async () => {
    await actFor(WARM_UP_SECONDS, PARALLEL_COUNT, pair)
    process.send?.(await actFor(SECONDS, PARALLEL_COUNT, pair))
    await database.close()
  })
  process.send?.('ready')
}

if (process.argv[2] === 'worker') {
  await work(process.argv[3] ?? '')
} else if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const figures = await measureProcesses()
  console.table(figures)
  console.log(`load average ${loadavg()[0]?.toFixed(2)}`)
  if (process.env.BENCH_JSON) await writeFile(process.env.BENCH_JSON, JSON.stringify(figures, null, 2))
}
