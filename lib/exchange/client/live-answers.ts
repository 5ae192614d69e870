import { type Answer, EMPTY_ANSWER } from './answer'
import type { ExchangePhase } from './follow-exchange'
import type { ExchangeKindName } from './kinds'

/** An answer on its way, as its message shows it. */
export interface LiveAnswer {
  readonly kind: ExchangeKindName
  readonly answer: Answer
  readonly phase: ExchangePhase
}

/** Runs the task at the next good moment for the screen. */
type FrameScheduler = (task: () => void) => void

/**
 * Answers on their way, by message. Only the message that subscribes to one is rendered anew, and at most
 * once for each moment that the scheduler grants, however many events arrive in between.
 */
export function createLiveAnswers(schedule: FrameScheduler) {
  const shown = new Map<string, LiveAnswer>()
  const pending = new Map<string, LiveAnswer>()
  const listeners = new Map<string, Set<() => void>>()
  let isPublishDue = false

  function publish(): void {
    isPublishDue = false
    const messageIds = [...pending.keys()]
    for (const messageId of messageIds) {
      const next = pending.get(messageId)
      if (next) shown.set(messageId, next)
    }
    pending.clear()
    for (const messageId of messageIds) notify(messageId)
  }

  function notify(messageId: string): void {
    for (const listener of listeners.get(messageId) ?? []) listener()
  }

  function change(messageId: string, next: LiveAnswer): void {
    pending.set(messageId, next)
    if (isPublishDue) return
    isPublishDue = true
    schedule(publish)
  }

  const latest = (messageId: string): LiveAnswer | undefined => pending.get(messageId) ?? shown.get(messageId)

  return {
    /** What the message shows now; null when no answer is on its way to it. */
    get: (messageId: string): LiveAnswer | null => shown.get(messageId) ?? null,

    subscribe(messageId: string, listener: () => void): () => void {
      const own = listeners.get(messageId) ?? new Set()
      listeners.set(messageId, own.add(listener))
      return () => {
        own.delete(listener)
        if (own.size === 0) listeners.delete(messageId)
      }
    },

    begin(messageId: string, kind: ExchangeKindName): void {
      shown.set(messageId, { kind, answer: EMPTY_ANSWER, phase: 'connecting' })
      notify(messageId)
    },

    setAnswer(messageId: string, answer: Answer): void {
      const known = latest(messageId)
      if (known) change(messageId, { ...known, answer })
    },

    setPhase(messageId: string, phase: ExchangePhase): void {
      const known = latest(messageId)
      if (known) change(messageId, { ...known, phase })
    },

    /** The finished message stands in the conversation by now. */
    end(messageId: string): void {
      pending.delete(messageId)
      shown.delete(messageId)
      notify(messageId)
    },
  }
}

export type LiveAnswers = ReturnType<typeof createLiveAnswers>

/** Twenty times a second reads as fluent, and leaves the page two frames of three to itself. */
const PUBLISH_INTERVAL_MS = 50
/** A page that is busy with what it was given last gets more time than it took, up to a second. */
const REST_FACTOR = 3
const REST_MS_MAX = 1_000

/** A hidden page gets no frames, and needs none: what it missed is shown when it is looked at again. */
export function createFrameScheduler(): FrameScheduler {
  let nextAt = Number.NEGATIVE_INFINITY
  return task => {
    const run = () => {
      const startedAt = performance.now()
      nextAt = startedAt + PUBLISH_INTERVAL_MS
      task()
      // The next frame comes when the page has rendered, laid out and painted what the task changed.
      requestAnimationFrame(() => {
        const costMs = performance.now() - startedAt
        nextAt = startedAt + Math.max(PUBLISH_INTERVAL_MS, Math.min(costMs * REST_FACTOR, REST_MS_MAX))
      })
    }
    const waitMs = nextAt - performance.now()
    if (waitMs > 0) setTimeout(() => requestAnimationFrame(run), waitMs)
    else requestAnimationFrame(run)
  }
}
