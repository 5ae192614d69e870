import { useSyncExternalStore } from 'react'

interface Store<Snapshot> {
  subscribe(listener: () => void): () => void
  getSnapshot(): Snapshot
  getServerSnapshot(): Snapshot
}

/**
 * What a store outside React holds, or the part of it that `select` takes. A part keeps its identity until it
 * changes, as a snapshot does: one that is made anew each time would render without end.
 */
export function useStore<Snapshot>(store: Store<Snapshot>): Snapshot
export function useStore<Snapshot, Part>(store: Store<Snapshot>, select: (snapshot: Snapshot) => Part): Part
export function useStore<Snapshot>(
  store: Store<Snapshot>,
  select: (snapshot: Snapshot) => unknown = snapshot => snapshot,
): unknown {
  return useSyncExternalStore(
    store.subscribe,
    () => select(store.getSnapshot()),
    () => select(store.getServerSnapshot()),
  )
}
