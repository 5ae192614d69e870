import type { ChildProcess } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import { percentile, readStream, type Target } from './exchange-client'
import { askFigures, startProcess, startUpstream } from './start-process'

/**
 * What the exchange costs beside an upstream asked directly, a bare Node pipe and a bare `fetch` handler:
 * npx tsx --conditions=react-server bench/exchange.ts
 * BENCH_DATABASE_URL names a PostgreSQL server in place of the embedded database.
 */
const SEQUENTIAL_COUNT = 400
const PARALLEL_ROUNDS = 20
const PARALLEL_COUNT = 20
const SLOW_STREAM_COUNT = 100
const SLOW_CHUNK_COUNT = 100
const SLOW_INTERVAL_MS = 50
const OPEN_STREAM_COUNT = 1_000
const OPEN_SECONDS = 5

interface Server extends Target {
  child: ChildProcess
}

function asServer({ child, ready }: Awaited<ReturnType<typeof startProcess>>): Server {
  return { creditId: '', ...ready, child }
}

async function measure(server: Server, isUpstream: boolean) {
  const ask = (chunkCount: number, intervalMs: number) => readStream(server, { chunkCount, intervalMs })
  for (let index = 0; index < 100; index += 1) await ask(3, 0)
  const alone: number[] = []
  for (let index = 0; index < SEQUENTIAL_COUNT; index += 1) alone.push((await ask(1, 0)).firstChunkMs)
  const together: number[] = []
  for (let round = 0; round < PARALLEL_ROUNDS; round += 1) {
    const received = await Promise.all(Array.from({ length: PARALLEL_COUNT }, () => ask(1, 0)))
    together.push(...received.map(({ firstChunkMs }) => firstChunkMs))
  }
  const slow = await readSlowStreams(server, isUpstream)
  return {
    firstP50: percentile(alone, 0.5),
    firstP99: percentile(alone, 0.99),
    togetherP50: percentile(together, 0.5),
    togetherP99: percentile(together, 0.99),
    delayP50: percentile(slow.delaysMs, 0.5),
    delayP95: percentile(slow.delaysMs, 0.95),
    cpuPer1000: slow.cpuMsPer1000,
    ...(isUpstream ? NO_MEMORY : await memoryPerStream(server)),
  }
}

const NO_MEMORY = { heapKilobytesPerStream: Number.NaN, residentKilobytesPerStream: Number.NaN }

/** Many slow streams; processor time is taken while all of them are open, so that only relaying counts. */
async function readSlowStreams(server: Server, isUpstream: boolean) {
  let chunkCount = 0
  const onChunk = () => {
    chunkCount += 1
  }
  const streams = Array.from({ length: SLOW_STREAM_COUNT }, async (_, index) => {
    await wait(index * (SLOW_INTERVAL_MS / SLOW_STREAM_COUNT))
    return readStream(server, { chunkCount: SLOW_CHUNK_COUNT, intervalMs: SLOW_INTERVAL_MS, onChunk })
  })
  const lengthMs = SLOW_CHUNK_COUNT * SLOW_INTERVAL_MS
  await wait(lengthMs / 5)
  const before = isUpstream ? null : await askFigures(server.child, 'cpu')
  const countBefore = chunkCount
  await wait(lengthMs / 2)
  const after = isUpstream ? null : await askFigures(server.child, 'cpu')
  const countAfter = chunkCount
  const received = await Promise.all(streams)
  return {
    delaysMs: received.flatMap(({ delaysMs }) => delaysMs.slice(1)),
    cpuMsPer1000:
      before && after ? ((after.cpuMs - before.cpuMs) * 1_000) / (countAfter - countBefore) : Number.NaN,
  }
}

async function memoryPerStream(server: Server) {
  const before = await askFigures(server.child, 'memory')
  const end = new AbortController()
  let openCount = 0
  const opened = Promise.withResolvers<void>()
  const streams = Array.from({ length: OPEN_STREAM_COUNT }, () =>
    readStream(server, {
      chunkCount: (OPEN_SECONDS * 1_000) / SLOW_INTERVAL_MS + 1_000,
      intervalMs: SLOW_INTERVAL_MS,
      signal: end.signal,
      onFirst() {
        openCount += 1
        if (openCount === OPEN_STREAM_COUNT) opened.resolve()
      },
    }),
  )
  await opened.promise
  await wait(OPEN_SECONDS * 1_000)
  const during = await askFigures(server.child, 'memory')
  end.abort()
  await Promise.all(streams)
  const perStream = (field: 'heapBytes' | 'residentBytes') =>
    (during[field] - before[field]) / 1_024 / OPEN_STREAM_COUNT
  return {
    heapKilobytesPerStream: perStream('heapBytes'),
    residentKilobytesPerStream: perStream('residentBytes'),
  }
}

const upstream = asServer(await startUpstream())
const direct = await measure(upstream, true)
const results: Record<string, Awaited<ReturnType<typeof measure>>> = { 'upstream alone': direct }
for (const mode of ['pipe', 'fetch', 'exchange']) {
  const server = asServer(await startProcess('./exchange-server.ts', [mode, String(upstream.port)]))
  results[mode] = await measure(server, false)
  server.child.kill()
}
upstream.child.kill()

console.table(
  Object.fromEntries(
    Object.entries(results).map(([name, result]) => [
      name,
      Object.fromEntries(Object.entries(result).map(([field, value]) => [field, Number(value.toFixed(2))])),
    ]),
  ),
)
const { pipe, fetch: bare, exchange } = results
if (pipe && bare && exchange) {
  const added = (left: number, right: number) => `${(left - right).toFixed(2)} ms`
  console.log(
    `time to first token, one at a time, p50: +${added(exchange.firstP50, direct.firstP50)} over the upstream, +${added(exchange.firstP50, bare.firstP50)} over a bare fetch handler`,
  )
  console.log(
    `time to first token, 20 at once, p99: +${added(exchange.togetherP99, direct.togetherP99)} over the upstream`,
  )
  console.log(
    `time between chunks, 100 slow streams: p50 +${added(exchange.delayP50, direct.delayP50)}, p95 +${added(exchange.delayP95, direct.delayP95)}`,
  )
  console.log(
    `CPU per 1,000 chunks: ${(exchange.cpuPer1000 / bare.cpuPer1000).toFixed(2)}x of a bare fetch handler, ${(exchange.cpuPer1000 / pipe.cpuPer1000).toFixed(2)}x of a bare pipe`,
  )
}
