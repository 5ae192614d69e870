import { useCallback } from 'react'
import { useStore } from '@/components/ui/use-store'
import type { LiveAnswer } from '@/lib/exchange/client/live-answers'
import { liveAnswers } from './page-exchanges'

/**
 * A part of the answer in progress for this message; null if there is none. Only the calling component renders again
 * when that part changes.
 *
 * @param read must return the same value as long as the part is the same
 */
export function useLiveAnswer<Part>(messageId: string, read: (live: LiveAnswer) => Part): Part | null {
  const subscribe = useCallback(
    (listener: () => void) => liveAnswers.subscribe(messageId, listener),
    [messageId],
  )
  return useStore<Part | null>({
    subscribe,
    getSnapshot: () => {
      const live = liveAnswers.get(messageId)
      return live && read(live)
    },
    getServerSnapshot: () => null,
  })
}
