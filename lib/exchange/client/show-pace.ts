/** Runs the task, which tells how many characters it has shown, at the next good moment for the screen. */
export type FrameScheduler = (task: () => number) => void

/** Twenty times a second reads as fluent, and leaves the page two frames of three to itself. */
const PUBLISH_INTERVAL_MS = 50
/** Of more than that in such a time nobody reads along: forty times as fast as people read, it only runs by. */
const READABLE_LENGTH_MAX = 100
/** What only runs by does so no worse at a third of the cost. */
const FLEETING_INTERVAL_MS = 150
/** A page that is busy with what it was given last gets more time than it took, up to a second. */
const REST_FACTOR = 3
const REST_MS_MAX = 1_000

/** Whether so many new characters, so long after the last ones, are more than somebody reads along. */
export function runsBy(length: number, sinceMs: number): boolean {
  // What comes after a pause comes at once.
  const gatheredMs = Math.min(Math.max(sinceMs, PUBLISH_INTERVAL_MS), FLEETING_INTERVAL_MS)
  return length > (READABLE_LENGTH_MAX * gatheredMs) / PUBLISH_INTERVAL_MS
}

/** How long the page is left alone with what it took so long to show. */
export function restMs(isFleeting: boolean, costMs: number): number {
  const intervalMs = isFleeting ? FLEETING_INTERVAL_MS : PUBLISH_INTERVAL_MS
  return Math.max(intervalMs, Math.min(costMs * REST_FACTOR, REST_MS_MAX))
}

/** So long after the last such moment, words may still run by. */
const RUNNING_BY_MS = 500
let runsByUntil = Number.NEGATIVE_INFINITY
const waiting = new Set<() => void>()

/** How often an answer is shown at present: what comes in between need not be read more often. */
export function showIntervalMs(): number {
  return restMs(performance.now() < runsByUntil, 0)
}

/**
 * Calls back, if not at once, when no more comes than somebody reads along: what only makes it look better can
 * wait. Returns how to stop waiting for that.
 */
export function whenReadable(callBack: () => void): () => void {
  if (performance.now() >= runsByUntil) callBack()
  else {
    if (waiting.size === 0) setTimeout(tellReadable, RUNNING_BY_MS)
    waiting.add(callBack)
  }
  return () => void waiting.delete(callBack)
}

function tellReadable(): void {
  if (performance.now() < runsByUntil) {
    setTimeout(tellReadable, RUNNING_BY_MS)
    return
  }
  const told = [...waiting]
  waiting.clear()
  for (const callBack of told) callBack()
}

/** A hidden page gets no frames, and needs none: what it missed is shown when it is looked at again. */
export function createFrameScheduler(): FrameScheduler {
  let shownAt = Number.NEGATIVE_INFINITY
  let nextAt = Number.NEGATIVE_INFINITY
  return task => {
    const run = () => {
      const startedAt = performance.now()
      const isFleeting = runsBy(task(), startedAt - shownAt)
      shownAt = startedAt
      if (isFleeting) runsByUntil = startedAt + RUNNING_BY_MS
      nextAt = startedAt + restMs(isFleeting, 0)
      // Comes when the page has rendered, laid out and painted what the task changed; a frame of its own would
      // do all of that once more.
      setTimeout(() => {
        nextAt = startedAt + restMs(isFleeting, performance.now() - startedAt)
      })
    }
    const waitMs = nextAt - performance.now()
    if (waitMs > 0) setTimeout(() => requestAnimationFrame(run), waitMs)
    else requestAnimationFrame(run)
  }
}
