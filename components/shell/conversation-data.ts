import { createExternalStore } from '@/lib/local/storage/external-store'

/**
 * Whether this browser may hold anything that migrations and the clean-up are about: false until it is
 * found, then true for as long as the page is open.
 */
export const conversationDataStore = createExternalStore(false)
