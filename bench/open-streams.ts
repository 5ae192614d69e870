import type { ChildProcess } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import { readStream, type Target } from './exchange-client'
import { askFigures } from './start-process'

const INTERVAL_MS = 50
const SECONDS = 10
/** By then everything left by the previous streams is closed and freed. */
const REST_MS = 3_000
const BYTES_PER_KILOBYTE = 1_024

interface OpenStreams {
  /** The share of the chunks due that arrived: 1 means that every chunk came in time. */
  chunkShare: number
  heapKilobytesPerStream: number
  residentKilobytesPerStream: number
}

/**
 * Holds many streams open at 20 chunks a second each. Stalled readers take their first chunk and nothing more, of
 * chunks so large that socket buffers cannot hide it.
 */
export async function measureOpenStreams(
  target: Target & { child: ChildProcess },
  input: { streamCount: number; paddingBytes: number; stalls: boolean },
): Promise<OpenStreams> {
  await wait(REST_MS)
  const before = await askFigures(target.child, 'memory')
  const end = new AbortController()
  const opened = Promise.withResolvers<void>()
  let openCount = 0
  let chunkCount = 0
  const streams = Array.from({ length: input.streamCount }, () =>
    readStream(target, {
      chunkCount: Number.MAX_SAFE_INTEGER,
      intervalMs: INTERVAL_MS,
      paddingBytes: input.paddingBytes,
      stalls: input.stalls,
      signal: end.signal,
      onFirst() {
        openCount += 1
        if (openCount === input.streamCount) opened.resolve()
      },
      onChunk() {
        chunkCount += 1
      },
      // One that fails shows in the share of the chunks.
    }).catch(() => {}),
  )
  await Promise.race([opened.promise, Promise.all(streams)])
  const countBefore = chunkCount
  const startedAt = performance.now()
  await wait(SECONDS * 1_000)
  const wantedCount = ((performance.now() - startedAt) / INTERVAL_MS) * input.streamCount
  const chunkShare = (chunkCount - countBefore) / wantedCount
  const during = await askFigures(target.child, 'memory')
  end.abort()
  await Promise.all(streams)
  const perStream = (field: 'heapBytes' | 'residentBytes') =>
    (during[field] - before[field]) / BYTES_PER_KILOBYTE / input.streamCount
  return {
    chunkShare,
    heapKilobytesPerStream: perStream('heapBytes'),
    residentKilobytesPerStream: perStream('residentBytes'),
  }
}
