/** A burst of shifts ends after a second without one, and lasts five seconds at most (web.dev/cls). */
const GAP_MAX_MS = 1_000
const BURST_MAX_MS = 5_000

/** The worst burst of layout shifts so far, which is the definition of CLS. */
export function createLayoutShift(): { add: (startMs: number, value: number) => number } {
  let worst = 0
  let burst = { startMs: 0, lastMs: Number.NEGATIVE_INFINITY, sum: 0 }
  return {
    add(startMs, value) {
      const continues = startMs - burst.lastMs < GAP_MAX_MS && startMs - burst.startMs < BURST_MAX_MS
      burst = continues
        ? { ...burst, lastMs: startMs, sum: burst.sum + value }
        : { startMs, lastMs: startMs, sum: value }
      worst = Math.max(worst, burst.sum)
      return worst
    },
  }
}
