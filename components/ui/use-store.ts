import { useSyncExternalStore } from 'react'

interface Store<Snapshot> {
  subscribe(listener: () => void): () => void
  getSnapshot(): Snapshot
  getServerSnapshot(): Snapshot
}

/** False on the server and during hydration, then true. */
export const runningStore: Store<boolean> = {
  subscribe: () => () => {},
  getSnapshot: () => true,
  getServerSnapshot: () => false,
}

/** The snapshot of a store outside React, which must be stable until it changes. */
export function useStore<Snapshot>({ subscribe, getSnapshot, getServerSnapshot }: Store<Snapshot>): Snapshot {
  return useSyncExternalStore(subscribe, getSnapshot, getServerSnapshot)
}
