import { createExternalStore } from '@/lib/local/storage/external-store'

/**
 * Whether this browser may hold data that migrations and clean-up are needed for. False until such data is found, then
 * true for as long as the page is open.
 */
export const conversationDataStore = createExternalStore(false)
