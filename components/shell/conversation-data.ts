import { createExternalStore } from '@/lib/local/storage/external-store'

const store = createExternalStore(false)

/**
 * Whether this browser may hold anything that migrations and the clean-up are about: false until it is
 * found, then true for as long as the page is open.
 */
export const conversationData = {
  subscribe: store.subscribe,
  getSnapshot: store.getSnapshot,
  getServerSnapshot: store.getServerSnapshot,
  found: () => store.set(true),
}
