/** Runs the task, which returns how many characters it has shown, at the next good moment for the screen. */
export type FrameScheduler = (task: () => number) => void

/** Twenty times a second reads as fluent, and leaves the page two frames of three to itself. */
const PUBLISH_INTERVAL_MS = 50
/** Nobody can read along with more than that in that time: it is forty times as fast as people read. */
const READABLE_LENGTH_MAX = 100
/** Text that nobody can read along with looks no worse at a third of the cost. */
const FLEETING_INTERVAL_MS = 150
/** A page that was busy with the last update gets more time than that took, up to a second. */
const REST_FACTOR = 3
const REST_MS_MAX = 1_000

/** Whether this many new characters, this long after the last ones, are more than somebody can read along with. */
export function runsBy(length: number, sinceMs: number): boolean {
  // What comes after a pause is shown at once.
  const gatheredMs = Math.min(Math.max(sinceMs, PUBLISH_INTERVAL_MS), FLEETING_INTERVAL_MS)
  return length > (READABLE_LENGTH_MAX * gatheredMs) / PUBLISH_INTERVAL_MS
}

/** How long the page rests after an update that took this long. */
export function restMs(isFleeting: boolean, costMs: number): number {
  const intervalMs = isFleeting ? FLEETING_INTERVAL_MS : PUBLISH_INTERVAL_MS
  return Math.max(intervalMs, Math.min(costMs * REST_FACTOR, REST_MS_MAX))
}

/** How long after such a moment the text still counts as too fast to read along with. */
const RUNNING_BY_MS = 500
let runsByUntil = Number.NEGATIVE_INFINITY
const waiting = new Set<() => void>()

/** How often an answer is shown at present: what comes in between need not be read more often. */
export function showIntervalMs(): number {
  return restMs(performance.now() < runsByUntil, 0)
}

/**
 * Calls back once the text comes slowly enough to read along with, for work that only makes it look better. @returns
 * how to stop waiting
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

/** A hidden page gets no frames, and needs none: what it missed is shown once it is visible again. */
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
