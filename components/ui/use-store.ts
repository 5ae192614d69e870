import { useSyncExternalStore } from 'react'

interface Store<Snapshot> {
  subscribe(listener: () => void): () => void
  getSnapshot(): Snapshot
  getServerSnapshot(): Snapshot
}

/** Whether the page runs in the browser. */
export const runningStore: Store<boolean> = {
  subscribe: () => () => {},
  getSnapshot: () => true,
  getServerSnapshot: () => false,
}

/** What a store outside React holds. Its snapshot keeps its identity until it changes. */
export function useStore<Snapshot>({ subscribe, getSnapshot, getServerSnapshot }: Store<Snapshot>): Snapshot {
  return useSyncExternalStore(subscribe, getSnapshot, getServerSnapshot)
}
