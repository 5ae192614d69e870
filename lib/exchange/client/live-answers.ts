import { type Answer, EMPTY_ANSWER } from './answer'
import type { ExchangeKindName } from './exchange-kinds'
import type { ExchangePhase } from './follow-exchange'
import type { FrameScheduler } from './show-pace'

/** An answer on its way, as its message shows it. */
export interface LiveAnswer {
  readonly kind: ExchangeKindName
  readonly answer: Answer
  readonly phase: ExchangePhase
}

/**
 * Answers on their way, by message. Only the message that subscribes to one is rendered again, at most once for each
 * slot that the scheduler grants, however many events arrive in between.
 */
export function createLiveAnswers(schedule: FrameScheduler) {
  const shown = new Map<string, LiveAnswer>()
  const pending = new Map<string, LiveAnswer>()
  const listeners = new Map<string, Set<() => void>>()
  let isPublishDue = false

  function publish(): number {
    isPublishDue = false
    const changed = [...pending]
    let length = 0
    for (const [messageId, next] of changed) {
      length += lengthOf(next) - lengthOf(shown.get(messageId))
      shown.set(messageId, next)
    }
    pending.clear()
    for (const [messageId] of changed) notify(messageId)
    return length
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

function lengthOf(live: LiveAnswer | undefined): number {
  return live ? live.answer.text.length + live.answer.reasoning.length : 0
}
