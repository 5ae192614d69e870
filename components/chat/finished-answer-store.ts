import { createExternalStore } from '@/lib/local/storage/external-store'

/**
 * The id of the message whose answer was requested in this tab and has ended while its conversation was shown. Null
 * once that has been handled, or the next question is asked.
 */
export const finishedAnswerStore = createExternalStore<string | null>(null)
