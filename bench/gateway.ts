import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { percentile, readStream, type Target } from './exchange-client'
import type { Budget, Figure } from './figure'
import { measureOpenStreams } from './open-streams'
import { askFigures, openCredit, startProcess, startSite } from './start-process'
import { askWhole } from './whole-answers'

/**
 * The site as served by `npm start`, compared in alternation with asking the upstream directly, a bare Hono, one that
 * commits a row where the site holds and settles, and a bare Next. All share the machine, so the ratios say more than
 * the figures. `BENCH_DATABASE_URL` names a PostgreSQL server to use instead of the embedded database, `BENCH_ROUNDS`
 * how often each is measured.
 */
const ROUND_COUNT = Number(process.env.BENCH_ROUNDS ?? '3')
const WARM_UP_COUNT = 300
const ALONE_COUNT = 100
const WHOLE_COUNT = 2_000
const WHOLE_PARALLEL_COUNT = 16
const FAST_STREAM_COUNT = 300
const FAST_PARALLEL_COUNT = 8
const FAST_CHUNK_COUNT = 200
const SLOW_STREAM_COUNT = 500
const SLOW_CHUNK_COUNT = 60
const SLOW_INTERVAL_MS = 100
const OPEN_STREAM_COUNT = 1_000
const STALLED_STREAM_COUNT = 20
const STALLED_PADDING_BYTES = 256 * 1_024
/** So that settlements still in progress count towards the previous measurement. */
const PAUSE_MS = 200
/** Wait after the start. */
const IDLE_MS = 3_000
const CREDIT_USD = 1_000

const WHOLE = `whole answers, ${WHOLE_PARALLEL_COUNT} at once`
const SLOW = `${SLOW_STREAM_COUNT} streams at once`
const OPEN = `${OPEN_STREAM_COUNT.toLocaleString('en')} open streams`

const BUDGETS: Record<string, Budget> = {
  'first token, one at a time, p50 ms': { atMost: 2, of: 'bare Hono' },
  [`${WHOLE}, per second`]: { atLeast: 2_000 },
  'chunks without delay, per second': { atLeast: 0.85, of: 'direct' },
  [`${SLOW}: first token, p50 ms`]: { atMost: 150 },
  [`${SLOW}: chunk delay, p95 ms`]: { atMost: 20 },
  [`${SLOW}: CPU ms per 1,000 chunks`]: { atMost: 45 },
}

interface Measured extends Target {
  child: ChildProcess
  /** The values of each figure, one per round; first tokens and delays one per stream or chunk. */
  figures: Record<string, number[]>
}

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
  note(target, `${name}, per second`, perCount / seconds)
  note(target, `${name}: CPU ms per 1,000`, ((after.cpuMs - before.cpuMs) * 1_000) / perCount)
  await wait(PAUSE_MS)
}

/** Runs `act` this often, with this many at a time. */
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
    note(target, 'first token, one at a time, ms', firstChunkMs)
  }
  await wait(PAUSE_MS)
  await withCpu(target, WHOLE, WHOLE_COUNT, () => askWhole(target, WHOLE_COUNT, WHOLE_PARALLEL_COUNT))
  await withCpu(target, 'chunks without delay', FAST_STREAM_COUNT * FAST_CHUNK_COUNT, () =>
    readFastStreams(target),
  )
}

/** Enough of them that the compiler and the collector of garbage weigh as they do in a server that runs for a while. */
function readFastStreams(target: Target): Promise<void> {
  return inParallel(FAST_STREAM_COUNT, FAST_PARALLEL_COUNT, () =>
    readStream(target, { chunkCount: FAST_CHUNK_COUNT, intervalMs: 0 }),
  )
}

/** Processor time is measured while all streams are open, so that only relaying counts. */
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
  note(target, `${SLOW}: first token, ms`, ...received.map(({ firstChunkMs }) => firstChunkMs))
  note(target, `${SLOW}: chunk delay, ms`, ...received.flatMap(({ delaysMs }) => delaysMs.slice(1)))
  const relayedCount = Math.max(1, after.chunkCount - before.chunkCount)
  note(target, `${SLOW}: CPU ms per 1,000 chunks`, ((after.cpuMs - before.cpuMs) * 1_000) / relayedCount)
  await wait(PAUSE_MS)
}

function summary({ figures }: Measured): Record<string, number> {
  return Object.fromEntries(
    Object.entries(figures).flatMap(([name, values]) =>
      name.endsWith(', ms')
        ? [
            [name.replace(/ms$/, 'p50 ms'), percentile(values, 0.5)],
            [name.replace(/ms$/, 'p95 ms'), percentile(values, 0.95)],
          ]
        : [[name, percentile(values, 0.5)]],
    ),
  )
}

/** The proportional share of shared memory, because the database's processes share much. Only available on Linux. */
function memoryOf(pid: number): number {
  const read = (name: string) => readFileSync(`/proc/${pid}/${name}`, 'utf8')
  const own = Number(/^Pss:\s+(\d+)/m.exec(read('smaps_rollup'))?.[1]) / 1_024
  const children = read(`task/${pid}/children`).split(' ').filter(Boolean).map(Number)
  return children.reduce((sum, id) => sum + memoryOf(id), own)
}

export async function measureGateway(everything: boolean): Promise<Figure[]> {
  const upstream = await startProcess('./fast-upstream.ts')
  const upstreamPort: number = upstream.ready.port
  const dataDirectory = await mkdtemp(join(tmpdir(), 'tuppence-bench-'))
  const site = await startSite({
    UPSTREAM_BASE_URL: `http://127.0.0.1:${upstreamPort}/v1`,
    DATA_DIR: dataDirectory,
    LOG_LEVEL: 'warn',
    ...(process.env.BENCH_DATABASE_URL && { DATABASE_URL: process.env.BENCH_DATABASE_URL }),
  })
  await wait(IDLE_MS)
  const idleMegabytes = memoryOf(site.child.pid ?? 0)
  const startFloor = async (file: string, ...more: string[]): Promise<Measured> => {
    const { child, ready } = await startProcess(file, [String(upstreamPort), ...more])
    return { child, port: ready.port, creditId: '', figures: {} }
  }
  const ours: Measured = { ...site, creditId: await openCredit(site.port, CREDIT_USD), figures: {} }
  const floors: Record<string, Measured> = {
    'bare Hono': await startFloor('./serve-bare-hono.ts'),
    ...(process.env.BENCH_DATABASE_URL === undefined && {
      'Hono with commits': await startFloor('./serve-bare-hono.ts', join(dataDirectory, 'postgres')),
    }),
    direct: { child: upstream.child, port: upstreamPort, creditId: '', figures: {} },
    'bare Next': await startFloor('./serve-bare-next.ts'),
  }
  const all = [...Object.values(floors), ours]
  try {
    for (const each of all) {
      for (let index = 0; index < WARM_UP_COUNT; index += 1)
        await readStream(each, { chunkCount: 3, intervalMs: 0 })
      await askWhole(each, WHOLE_COUNT, WHOLE_PARALLEL_COUNT)
      await readFastStreams(each)
    }
    for (let round = 0; round < ROUND_COUNT; round += 1) for (const each of all) await measureRound(each)
    for (const each of all) await measureSlowStreams(each)
    return [
      ...besideFloors(ours, floors),
      ...(await measureMemory(ours, everything)),
      { what: 'idle, database included, MB', ours: idleMegabytes, budget: { atMost: 260 } },
      {
        what: 'first start until a page can be asked for, ms',
        ours: site.readyMs,
        budget: { atMost: 2_000 },
      },
    ]
  } finally {
    await Promise.all(all.map(({ child }) => end(child)))
    // The database stops by itself once nobody uses it.
    await rm(dataDirectory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
}

function besideFloors(ours: Measured, floors: Record<string, Measured>): Figure[] {
  const summaries = Object.entries(floors).map(([name, floor]) => [name, summary(floor)] as const)
  return Object.entries(summary(ours)).map(([what, value]) => ({
    what,
    ours: value,
    floors: Object.fromEntries(summaries.map(([name, figures]) => [name, figures[what] ?? Number.NaN])),
    budget: BUDGETS[what],
  }))
}

async function measureMemory(ours: Measured, everything: boolean): Promise<Figure[]> {
  const reading = { streamCount: OPEN_STREAM_COUNT, paddingBytes: 0, stalls: false }
  const stalled = { streamCount: STALLED_STREAM_COUNT, paddingBytes: STALLED_PADDING_BYTES, stalls: true }
  const open = await measureOpenStreams(ours, reading)
  return [
    {
      what: `${OPEN}: resident kB each`,
      ours: open.residentKilobytesPerStream,
      budget: { atMost: 60 },
    },
    { what: `${OPEN}: heap kB each`, ours: open.heapKilobytesPerStream },
    { what: `${OPEN}: share of chunks in time`, ours: open.chunkShare },
    ...(everything
      ? [
          {
            what: `${STALLED_STREAM_COUNT} readers that stall: resident kB each`,
            ours: (await measureOpenStreams(ours, stalled)).residentKilobytesPerStream,
          },
        ]
      : []),
  ]
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill()
  await ended
}
