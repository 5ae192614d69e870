import { useEffect } from 'react'
import { historyStore } from '@/lib/local/archive/history-store'
import { keepTidy } from '@/lib/local/archive/keep-tidy'
import { areConversationsTooLarge } from '@/lib/local/conversations/is-too-large'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'

/** Moves older conversations to the archive when they have become too large. */
export function useTidy(onMoved: (count: number) => void): void {
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
