import { useEffect } from 'react'
import { historyStore } from '@/lib/local/archive/history-store'
import { keepTidy } from '@/lib/local/archive/keep-tidy'
import { areConversationsTooLarge } from '@/lib/local/conversations/is-too-large'
import { startDocumentCleanUp } from '@/lib/local/documents/start-document-clean-up'
import { startImageCleanUp } from '@/lib/local/images/start-image-clean-up'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'

/** Long after the page has become usable; nobody waits for it. */
const FILE_CLEAN_UP_DELAY_MS = 30_000

/** Moves conversations to the archive when they have become too large, and forgets orphaned pictures and documents. */
export function useTidy(onMoved: (count: number) => void): void {
  useEffect(() => {
    const timer = setTimeout(() => {
      startImageCleanUp().catch(reportError)
      startDocumentCleanUp().catch(reportError)
    }, FILE_CLEAN_UP_DELAY_MS)
    return () => clearTimeout(timer)
  }, [])

  useEffect(
    () =>
      keepTidy({
        history: historyStore,
        areConversationsTooLarge: () => areConversationsTooLarge(guardedStorage),
        onMoved,
        onError: reportError,
      }),
    [onMoved],
  )
}
