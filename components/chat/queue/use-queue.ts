import { useEffect } from 'react'
import { useStore } from '@/components/ui/use-store'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { pageExchanges } from '../page-exchanges'
import { type MessageQueue, messageQueueStore } from './queue-store'

// Never removed: like the answers, it lives as long as the page.
pageExchanges.onEnd(({ conversationId, messageId }) => {
  if (messageQueueStore.get(conversationId)) void goOnBehind(conversationId, messageId)
})

/** The code was loaded with the first queued message. Without it the queue waits, and says so. */
async function goOnBehind(conversationId: string, answerId: string): Promise<void> {
  const queue = await import('./run-queue').catch(() => null)
  await queue?.continueQueue(conversationId, answerId)
}

/** The queue of a conversation (null for a new chat); null if it is empty. */
export function useQueue(conversationId: string | null): MessageQueue | null {
  useEffect(() => messageQueueStore.forget(id => conversationStore.isRemoved(id, '')), [])
  return useStore({
    subscribe: messageQueueStore.subscribe,
    getSnapshot: () => (conversationId === null ? null : messageQueueStore.get(conversationId)),
    getServerSnapshot: () => null,
  })
}
