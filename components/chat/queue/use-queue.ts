import { useEffect } from 'react'
import { useStore } from '@/components/ui/use-store'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { pageExchanges } from '../page-exchanges'
import { type MessageQueue, messageQueueStore } from './queue-store'

// For as long as the page lives, as the answers themselves.
pageExchanges.onEnd(({ conversationId, messageId }) => {
  if (messageQueueStore.get(conversationId)) void goOnBehind(conversationId, messageId)
})

/** Its code came with the first message that was queued. Without it the queue waits, and says so. */
async function goOnBehind(conversationId: string, answerId: string): Promise<void> {
  const queue = await import('./run-queue').catch(() => null)
  await queue?.continueQueue(conversationId, answerId)
}

/** What waits in a conversation (null: a new chat); null when nothing does. */
export function useQueue(conversationId: string | null): MessageQueue | null {
  useEffect(() => messageQueueStore.forget(id => conversationStore.isRemoved(id, '')), [])
  return useStore({
    subscribe: messageQueueStore.subscribe,
    getSnapshot: () => (conversationId === null ? null : messageQueueStore.get(conversationId)),
    getServerSnapshot: () => null,
  })
}
