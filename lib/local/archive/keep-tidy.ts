import type { HistoryStore } from './create-history-store'

/** Conversations change many times while an answer streams in; their size is only checked this much later. */
const CHECK_DELAY_MS = 5_000

interface TidyOptions {
  history: Pick<HistoryStore, 'subscribe' | 'cleanUp'>
  areConversationsTooLarge: () => boolean
  onMoved: (count: number) => void
  /** Called after each check, when everything that was too large has been moved. */
  onChecked: () => void
  onError: (error: unknown) => void
  runLater?: (task: () => void) => void
}

/** Runs the default clean-up whenever the conversations have become too large. @returns how to stop */
export function keepTidy(options: TidyOptions): () => void {
  const { history, runLater = task => setTimeout(task, CHECK_DELAY_MS) } = options
  let isDue = false
  let isEnded = false

  async function check(): Promise<void> {
    isDue = false
    if (isEnded) return
    if (options.areConversationsTooLarge()) {
      const moved = await history.cleanUp()
      if (moved > 0) options.onMoved(moved)
    }
    options.onChecked()
  }

  function request(): void {
    if (isDue) return
    isDue = true
    runLater(() => {
      check().catch(options.onError)
    })
  }

  request()
  const stop = history.subscribe(request)
  return () => {
    isEnded = true
    stop()
  }
}
