import { createExternalStore } from './external-store'

const store = createExternalStore<'closed' | 'open'>('closed')

/** The storage-full warning: opened by a write that exceeded the quota, closed on request. */
export const storageFullStore = {
  subscribe: store.subscribe,
  getSnapshot: store.getSnapshot,
  getServerSnapshot: store.getServerSnapshot,
  open: () => store.set('open'),
  close: () => store.set('closed'),
}
