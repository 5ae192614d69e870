import { useCallback } from 'react'
import { useStore } from '@/components/ui/use-store'
import type { LiveAnswer } from '@/lib/exchange/client/live-answers'
import { liveAnswers } from './browser-exchanges'

/** What is on its way to this message; null when nothing is. Only the caller renders as it grows. */
export function useLiveAnswer(messageId: string): LiveAnswer | null {
  const subscribe = useCallback(
    (listener: () => void) => liveAnswers.subscribe(messageId, listener),
    [messageId],
  )
  return useStore<LiveAnswer | null>({
    subscribe,
    getSnapshot: () => liveAnswers.get(messageId),
    getServerSnapshot: () => null,
  })
}
