import type { ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { buildBareNext } from './build-bare-next'
import { percentile, readStream, type Target } from './exchange-client'
import { measureOpenStreams } from './open-streams'
import { askFigures, startUpstream } from './start-process'
import { openCredit, startSite } from './start-site'

/**
 * The site as it is served (the production build of this directory, over HTTP, scripts/server.ts) beside
 * the upstream asked directly and a bare Next route that only pipes, in alternation:
 * `npx tsx bench/site.ts`, built by `npm start`. `BENCH_DATABASE_URL` names a PostgreSQL server in place of
 * the embedded database; `BENCH_ROUNDS` says how often each is measured.
 */
const ROUND_COUNT = Number(process.env.BENCH_ROUNDS ?? '20')
const WARM_UP_COUNT = 300
const SEQUENTIAL_COUNT = 20
const PARALLEL_COUNT = 20
/** Between two measurements: what is still being settled belongs to the one before. */
const PAUSE_MS = 100
const SLOW_STREAM_COUNT = 100
const SLOW_CHUNK_COUNT = 60
const SLOW_INTERVAL_MS = 50
const SLOW_ROUND_COUNT = 5
const OPEN_STREAM_COUNT = 1_000
const STALLED_STREAM_COUNT = 20
const STALLED_PADDING_BYTES = 256 * 1_024
const CREDIT_USD = 1_000

interface Measured extends Target {
  name: string
  child: ChildProcess
  alone: number[]
  together: number[]
  delays: number[]
  burstCpuMs: number[]
  cpuMsPer1000: number[]
}

const measured = (name: string, target: Target & { child: ChildProcess }): Measured => ({
  ...target,
  name,
  alone: [],
  together: [],
  delays: [],
  burstCpuMs: [],
  cpuMsPer1000: [],
})

async function measureFirstChunks(target: Measured): Promise<void> {
  const ask = async () => (await readStream(target, { chunkCount: 1, intervalMs: 0 })).firstChunkMs
  for (let index = 0; index < SEQUENTIAL_COUNT; index += 1) target.alone.push(await ask())
  await wait(PAUSE_MS)
  const before = await askFigures(target.child, 'cpu')
  target.together.push(...(await Promise.all(Array.from({ length: PARALLEL_COUNT }, ask))))
  const after = await askFigures(target.child, 'cpu')
  target.burstCpuMs.push(after.cpuMs - before.cpuMs)
  await wait(PAUSE_MS)
}

/** Processor time is taken while all streams are open, so that only relaying counts. */
async function measureSlowStreams(target: Measured): Promise<void> {
  let chunkCount = 0
  const onChunk = () => {
    chunkCount += 1
  }
  const streams = Array.from({ length: SLOW_STREAM_COUNT }, async (_, index) => {
    await wait(index * (SLOW_INTERVAL_MS / SLOW_STREAM_COUNT))
    return readStream(target, { chunkCount: SLOW_CHUNK_COUNT, intervalMs: SLOW_INTERVAL_MS, onChunk })
  })
  const lengthMs = SLOW_CHUNK_COUNT * SLOW_INTERVAL_MS
  await wait(lengthMs / 4)
  const before = { ...(await askFigures(target.child, 'cpu')), chunkCount }
  await wait(lengthMs / 2)
  const after = { ...(await askFigures(target.child, 'cpu')), chunkCount }
  for (const { delaysMs } of await Promise.all(streams)) target.delays.push(...delaysMs.slice(1))
  target.cpuMsPer1000.push(
    ((after.cpuMs - before.cpuMs) * 1_000) / Math.max(1, after.chunkCount - before.chunkCount),
  )
}

/** Milliseconds. Processor time is the server's; the least of it is what other work on the machine hides. */
function summary(target: Measured) {
  return {
    'first p50': percentile(target.alone, 0.5),
    '20 at once p50': percentile(target.together, 0.5),
    '20 at once p99': percentile(target.together, 0.99),
    'CPU per burst, least': percentile(target.burstCpuMs, 0),
    'CPU per burst, p50': percentile(target.burstCpuMs, 0.5),
    'delay p50': percentile(target.delays, 0.5),
    'delay p95': percentile(target.delays, 0.95),
    'CPU per 1,000 chunks, least': percentile(target.cpuMsPer1000, 0),
  }
}

const rounded = <Row extends object>(row: Row) =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Number(Number(value).toFixed(2))]))

const upstreamProcess = await startUpstream()
const upstreamUrl = `http://127.0.0.1:${upstreamProcess.ready.port}/v1`
const bareDirectory = await buildBareNext()
const dataDirectory = await mkdtemp(join(tmpdir(), 'tuppence-bench-'))
const bareSite = await startSite({
  directory: bareDirectory,
  environment: { UPSTREAM_BASE_URL: upstreamUrl },
  script: 'bench/serve-bare-next.ts',
})
const site = await startSite({
  directory: resolve('.'),
  environment: {
    UPSTREAM_BASE_URL: upstreamUrl,
    DATA_DIR: dataDirectory,
    SANDBOX: '1',
    ...(process.env.BENCH_DATABASE_URL && { DATABASE_URL: process.env.BENCH_DATABASE_URL }),
  },
})
const upstream = measured('upstream', {
  child: upstreamProcess.child,
  ...upstreamProcess.ready,
  creditId: '',
})
const bare = measured('bare Next route', { ...bareSite, creditId: '' })
const ours = measured('this site', { ...site, creditId: await openCredit(site.port, CREDIT_USD) })
const targets = [upstream, bare, ours]

for (const target of targets) {
  for (let index = 0; index < WARM_UP_COUNT; index += 1) {
    await readStream(target, { chunkCount: 3, intervalMs: 0 })
  }
}
for (let round = 0; round < ROUND_COUNT; round += 1)
  for (const target of targets) await measureFirstChunks(target)
for (let round = 0; round < SLOW_ROUND_COUNT; round += 1)
  for (const target of targets) await measureSlowStreams(target)
console.table(Object.fromEntries(targets.map(target => [target.name, rounded(summary(target))])))

const openStreams: Record<string, object> = {}
for (const target of [bare, ours]) {
  const reading = { streamCount: OPEN_STREAM_COUNT, paddingBytes: 0, stalls: false }
  openStreams[`${target.name}, readers keep up`] = rounded(await measureOpenStreams(target, reading))
  const stalled = { streamCount: STALLED_STREAM_COUNT, paddingBytes: STALLED_PADDING_BYTES, stalls: true }
  openStreams[`${target.name}, readers stall`] = rounded(await measureOpenStreams(target, stalled))
}
console.table(openStreams)
console.log(`load average at the end: ${loadavg()[0]?.toFixed(2)}`)

for (const { child } of targets) child.kill('SIGKILL')
await rm(dataDirectory, { recursive: true, force: true })
await rm(bareDirectory, { recursive: true, force: true })
