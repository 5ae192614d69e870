import type { Message } from '@/lib/local/domain/conversation'
import { pageExchanges } from './page-exchanges'

/** Stops those of these messages that are still being written. */
export function stopAnswers(messages: readonly Message[]): void {
  for (const { id, status } of messages) {
    if (id !== undefined && status === 'streaming') pageExchanges.stop(id)
  }
}
