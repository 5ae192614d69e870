import { createExternalStore } from '@/lib/local/storage/external-store'

/**
 * The message whose answer was asked in this tab and came to its end while its conversation was shown; null
 * as soon as somebody has taken notice, or the next question is asked.
 */
export const finishedAnswerStore = createExternalStore<string | null>(null)
