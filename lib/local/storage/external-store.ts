/** The interface for React's `useSyncExternalStore`: the snapshot keeps its identity until it changes. */
export interface ExternalStore<Snapshot> {
  subscribe(listener: () => void): () => void
  getSnapshot(): Snapshot
  getServerSnapshot(): Snapshot
}

export interface WritableStore<Snapshot> extends ExternalStore<Snapshot> {
  set(next: Snapshot): void
}

export function createListeners() {
  const listeners = new Set<() => void>()
  return {
    subscribe(listener: () => void): () => void {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    notify(): void {
      for (const listener of [...listeners]) listener()
    },
  }
}

/** For a snapshot that is made of two sources. */
export function subscribeToBoth(first: Subscribe, second: Subscribe): Subscribe {
  return listener => {
    const stops = [first(listener), second(listener)]
    return () => {
      for (const stop of stops) stop()
    }
  }
}

type Subscribe = ExternalStore<unknown>['subscribe']

export function createExternalStore<Snapshot>(initial: Snapshot): WritableStore<Snapshot> {
  const { subscribe, notify } = createListeners()
  let snapshot = initial
  return {
    subscribe,
    getSnapshot: () => snapshot,
    getServerSnapshot: () => initial,
    set(next) {
      if (Object.is(next, snapshot)) return
      snapshot = next
      notify()
    },
  }
}
