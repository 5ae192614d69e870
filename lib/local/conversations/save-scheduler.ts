import type { Conversation } from '../domain/conversation'
import { whenIdle } from '../when-idle'

/** A streaming answer is written at most this often; a crash loses no more than this much of it. */
const SAVE_INTERVAL_MS = 1_000
/** There may be no idle time while an answer streams in; then it is written anyway after this long. */
const IDLE_TIMEOUT_MS = 500

/** Returns the current state of the conversation at the time of writing; null if there is nothing left to write. */
type ReadDraft = () => Conversation | null

export interface SaveScheduler {
  /** @param part which part of the conversation grows: answers that stream in side by side are each written */
  schedule(id: string, readDraft: ReadDraft, part?: string): void
  /** Drops the pending write of this conversation, because it is saved otherwise, or deleted. */
  cancel(id: string): void
  flush(): void
}

/** Combines the writes of a streaming answer: its latest state is written, in idle time, once a second. */
export function createSaveScheduler(
  save: (conversation: Conversation) => void,
  runLater: (task: () => void) => void = nextInterval,
): SaveScheduler {
  const waiting = new Map<string, Map<string, ReadDraft>>()
  let isDue = false

  function flush(): void {
    const drafts = [...waiting.values()].flatMap(parts => [...parts.values()])
    waiting.clear()
    for (const readDraft of drafts) {
      const conversation = readDraft()
      if (conversation) save(conversation)
    }
  }

  return {
    schedule(id, readDraft, part = '') {
      const parts = waiting.get(id) ?? new Map<string, ReadDraft>()
      waiting.set(id, parts.set(part, readDraft))
      if (isDue) return
      isDue = true
      runLater(() => {
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

function nextInterval(task: () => void): void {
  setTimeout(() => whenIdle(task, IDLE_TIMEOUT_MS), SAVE_INTERVAL_MS)
}
