import 'server-only'
import { setTimeout as wait } from 'node:timers/promises'

/**
 * Looks again and again for what another process will have done; null when the time is over, or nobody
 * waits any more.
 */
export async function lookUntil<Found>(input: {
  look: () => Promise<Found | null>
  intervalMs: number
  timeMsMax: number
  signal?: AbortSignal
}): Promise<Found | null> {
  const until = performance.now() + input.timeMsMax
  for (;;) {
    const found = await input.look()
    if (found !== null || performance.now() >= until || input.signal?.aborted) return found
    await wait(input.intervalMs, null, { signal: input.signal }).catch(() => null)
  }
}
