import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Agent, request as openRequest } from 'node:http'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { BENCH_MODEL, percentile, readStream, type Target } from './exchange-client'
import { askFigures, startProcess } from './start-process'
import { openCredit, startSite } from './start-site'

/**
 * The site as `npm start` serves it, built before, beside a handler that only pipes over Node's server and the
 * upstream asked directly, in alternation: `npx tsx --conditions=react-server bench/gateway.ts`. All share the
 * machine, so the ratios say more than the figures. `BENCH_DATABASE_URL` names a PostgreSQL server in place of
 * the embedded database, `BENCH_ROUNDS` how often each is measured, `BENCH_JSON` a file for the figures.
 */
const ROUND_COUNT = Number(process.env.BENCH_ROUNDS ?? '5')
const WARM_UP_COUNT = 300
const ALONE_COUNT = 60
const WHOLE_COUNT = 400
const WHOLE_PARALLEL_COUNT = 16
const FAST_STREAM_COUNT = 50
const FAST_PARALLEL_COUNT = 8
const FAST_CHUNK_COUNT = 200
const SLOW_STREAM_COUNT = 500
const SLOW_CHUNK_COUNT = 60
const SLOW_INTERVAL_MS = 100
/** What is still being settled belongs to what was measured before. */
const PAUSE_MS = 200
const CREDIT_USD = 1_000

interface Measured extends Target {
  child: ChildProcess
  /** Of each figure, one a round; first tokens and delays one a stream or chunk. */
  figures: Record<string, number[]>
}

/** Below the five seconds after which a usual server closes what rests. */
const agent = new Agent({ keepAlive: true, timeout: 4_000 })

function note(target: Measured, name: string, ...values: number[]): void {
  const noted = target.figures[name] ?? []
  for (const value of values) noted.push(value)
  target.figures[name] = noted
}

async function withCpu(target: Measured, name: string, perCount: number, act: () => Promise<void>) {
  const before = await askFigures(target.child, 'cpu')
  const startedAt = performance.now()
  await act()
  const seconds = (performance.now() - startedAt) / 1_000
  const after = await askFigures(target.child, 'cpu')
  note(target, `${name}: CPU ms each`, (after.cpuMs - before.cpuMs) / perCount)
  note(target, `${name} per second`, perCount / seconds)
  await wait(PAUSE_MS)
}

function askWhole({ port, creditId }: Target): Promise<void> {
  const body = JSON.stringify({
    model: BENCH_MODEL,
    messages: [{ role: 'user', content: 'A whole answer, please.' }],
    max_tokens: 100,
  })
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    authorization: `Bearer ${creditId}`,
  }
  return new Promise((done, fail) => {
    const request = openRequest(
      { port, host: '127.0.0.1', path: '/v1/chat/completions', method: 'POST', agent, headers },
      response => {
        if (response.statusCode !== 200) fail(new Error(`status ${response.statusCode}`))
        response.on('error', fail).on('end', done).resume()
      },
    )
    request.on('error', fail)
    request.end(body)
  })
}

/** So many, so many at a time. */
async function inParallel(count: number, parallelCount: number, act: () => Promise<unknown>): Promise<void> {
  let left = count
  const worker = async () => {
    while (left > 0) {
      left -= 1
      await act()
    }
  }
  await Promise.all(Array.from({ length: parallelCount }, worker))
}

async function measureRound(target: Measured): Promise<void> {
  for (let index = 0; index < ALONE_COUNT; index += 1) {
    const { firstChunkMs } = await readStream(target, { chunkCount: 1, intervalMs: 0 })
    note(target, 'first token, ms', firstChunkMs)
  }
  await wait(PAUSE_MS)
  await withCpu(target, 'whole answers', WHOLE_COUNT, () =>
    inParallel(WHOLE_COUNT, WHOLE_PARALLEL_COUNT, () => askWhole(target)),
  )
  await withCpu(target, 'fast chunks', FAST_STREAM_COUNT * FAST_CHUNK_COUNT, () =>
    inParallel(FAST_STREAM_COUNT, FAST_PARALLEL_COUNT, () =>
      readStream(target, { chunkCount: FAST_CHUNK_COUNT, intervalMs: 0 }),
    ),
  )
}

/** Processor time is taken while all streams are open, so that only relaying counts. */
async function measureSlowStreams(target: Measured): Promise<void> {
  let chunkCount = 0
  let openCount = 0
  const allOpen = Promise.withResolvers<void>()
  const onFirst = () => {
    openCount += 1
    if (openCount === SLOW_STREAM_COUNT) allOpen.resolve()
  }
  const onChunk = () => {
    chunkCount += 1
  }
  const streams = Array.from({ length: SLOW_STREAM_COUNT }, () =>
    readStream(target, { chunkCount: SLOW_CHUNK_COUNT, intervalMs: SLOW_INTERVAL_MS, onFirst, onChunk }),
  )
  await allOpen.promise
  const before = { ...(await askFigures(target.child, 'cpu')), chunkCount }
  await wait((SLOW_CHUNK_COUNT * SLOW_INTERVAL_MS) / 2)
  const after = { ...(await askFigures(target.child, 'cpu')), chunkCount }
  const received = await Promise.all(streams)
  note(target, '500 at once: first token, ms', ...received.map(({ firstChunkMs }) => firstChunkMs))
  note(target, '500 at once: chunk delay, ms', ...received.flatMap(({ delaysMs }) => delaysMs.slice(1)))
  const relayedCount = Math.max(1, after.chunkCount - before.chunkCount)
  note(target, '500 at once: CPU ms per 1,000 chunks', ((after.cpuMs - before.cpuMs) * 1_000) / relayedCount)
  await wait(PAUSE_MS)
}

function summary({ figures }: Measured): Record<string, number> {
  return Object.fromEntries(
    Object.entries(figures).flatMap(([name, values]) =>
      name.endsWith(', ms')
        ? [
            [`${name} p50`, percentile(values, 0.5)],
            [`${name} p95`, percentile(values, 0.95)],
          ]
        : [[name, percentile(values, 0.5)]],
    ),
  )
}

/** Proportional to what is shared: the database's processes have much in common. Linux tells. */
function memoryOf(pid: number): number {
  const read = (name: string) => readFileSync(`/proc/${pid}/${name}`, 'utf8')
  const own = Number(/^Pss:\s+(\d+)/m.exec(read('smaps_rollup'))?.[1]) / 1_024
  const children = read(`task/${pid}/children`).split(' ').filter(Boolean).map(Number)
  return children.reduce((sum, id) => sum + memoryOf(id), own)
}

const target = (server: Target & { child: ChildProcess }): Measured => ({ ...server, figures: {} })
const upstreamProcess = await startProcess('./fast-upstream.ts')
const upstreamPort: number = upstreamProcess.ready.port
const floorProcess = await startProcess('./exchange-server.ts', ['fetch', String(upstreamPort)])
const dataDirectory = await mkdtemp(join(tmpdir(), 'tuppence-bench-'))
const site = await startSite({
  directory: resolve('.'),
  environment: {
    UPSTREAM_BASE_URL: `http://127.0.0.1:${upstreamPort}/v1`,
    DATA_DIR: dataDirectory,
    SANDBOX: '1',
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn',
    ...(process.env.BENCH_DATABASE_URL && { DATABASE_URL: process.env.BENCH_DATABASE_URL }),
  },
})
await wait(3_000)
const idleMegabytes = memoryOf(site.child.pid ?? 0)
const targets = {
  direct: target({ child: upstreamProcess.child, port: upstreamPort, creditId: '' }),
  'bare pipe': target({ child: floorProcess.child, port: floorProcess.ready.port, creditId: '' }),
  'this site': target({ ...site, creditId: await openCredit(site.port, CREDIT_USD) }),
}
const all = Object.values(targets)

for (const each of all)
  for (let index = 0; index < WARM_UP_COUNT; index += 1)
    await readStream(each, { chunkCount: 3, intervalMs: 0 })
for (let round = 0; round < ROUND_COUNT; round += 1) for (const each of all) await measureRound(each)
for (const each of all) await measureSlowStreams(each)

const summaries = Object.fromEntries(Object.entries(targets).map(([name, each]) => [name, summary(each)]))
const names = Object.keys(summary(targets['this site']))
const rows = names.map(name => {
  const row = Object.entries(summaries).map(([of, figures]) => [
    of,
    Number((figures[name] ?? Number.NaN).toFixed(3)),
  ])
  const ours = summaries['this site']?.[name] ?? Number.NaN
  const floor = summaries['bare pipe']?.[name] ?? Number.NaN
  return [
    name,
    { ...Object.fromEntries(row), 'of the bare pipe': Number((ours / floor).toFixed(2)) },
  ] as const
})
console.table(Object.fromEntries(rows))
console.log(
  `idle, with its database: ${idleMegabytes.toFixed(0)} MB; load average ${loadavg()[0]?.toFixed(2)}`,
)
if (process.env.BENCH_JSON) {
  await writeFile(process.env.BENCH_JSON, JSON.stringify({ ...summaries, idleMegabytes }, null, 2))
}

for (const { child } of all) child.kill()
await rm(dataDirectory, { recursive: true, force: true })
// The sockets that are kept alive need no end.
process.exit()
