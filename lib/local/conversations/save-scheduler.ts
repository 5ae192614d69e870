import type { Conversation } from '@/lib/chat/domain/conversation'

/** A streaming answer is written at most this often; a crash loses no more than this much of it. */
const SAVE_INTERVAL_MS = 1_000
/** Idle time may never come while an answer streams in: then the write happens anyway. */
const IDLE_TIMEOUT_MS = 500

export interface SaveScheduler {
  schedule(conversation: Conversation): void
  /** Drops what waits for this conversation: it is saved otherwise, or deleted. */
  cancel(id: string): void
  flush(): void
}

/** Coalesces the writes of a streaming answer: the last one counts, in idle time, once a second. */
export function createSaveScheduler(
  save: (conversation: Conversation) => void,
  runWhenIdle: (task: () => void) => void = whenIdle,
): SaveScheduler {
  const waiting = new Map<string, Conversation>()
  let isDue = false

  function flush(): void {
    const conversations = [...waiting.values()]
    waiting.clear()
    for (const conversation of conversations) save(conversation)
  }

  return {
    schedule(conversation) {
      waiting.set(conversation.id, conversation)
      if (isDue) return
      isDue = true
      runWhenIdle(() => {
        isDue = false
        flush()
      })
    },
    cancel(id) {
      waiting.delete(id)
    },
    flush,
  }
}

function whenIdle(task: () => void): void {
  setTimeout(() => {
    if (typeof requestIdleCallback === 'function') requestIdleCallback(task, { timeout: IDLE_TIMEOUT_MS })
    else task()
  }, SAVE_INTERVAL_MS)
}
