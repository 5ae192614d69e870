import { useSyncExternalStore } from 'react'

interface Store<Snapshot> {
  subscribe(listener: () => void): () => void
  getSnapshot(): Snapshot
  getServerSnapshot(): Snapshot
}

/** What is so of a browser as long as a page is open. False on the server and during hydration. */
export function fixedStore(getSnapshot: () => boolean): Store<boolean> {
  return { subscribe: () => () => {}, getSnapshot, getServerSnapshot: () => false }
}

/** False on the server and during hydration, then true. */
export const runningStore = fixedStore(() => true)

/** The snapshot of a store outside React, which must be stable until it changes. */
export function useStore<Snapshot>({ subscribe, getSnapshot, getServerSnapshot }: Store<Snapshot>): Snapshot {
  return useSyncExternalStore(subscribe, getSnapshot, getServerSnapshot)
}
