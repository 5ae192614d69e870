import 'server-only'

/** How long a complete list is fresh: prices change a few times a day at most, and this limits the damage of a change. */
export const FRESH_MS = 5 * 60_000
/** After a failure the next attempt comes sooner, but not with every visitor. */
export const RETRY_MS = 15_000
/**
 * A list becomes older than this when nobody comes, at night or while the process is frozen. Its prices may have
 * changed by any amount, so the next visitor waits for the current ones.
 */
const SERVED_MS_MAX = 10 * 60_000

interface KeepListInput<List> {
  /** Fetches the list; `last` is the one before it, or null. It counts as fresh for `freshMs`. */
  load: (last: List | null) => Promise<{ list: List; freshMs: number }>
  isEmpty: (list: List) => boolean
  /** Told of a refresh in the background, which a frozen process would not finish. */
  keepAlive?: (work: Promise<unknown>) => void
  /** A monotonic clock in milliseconds: if it were set back, an old list would be kept for that long. */
  now: () => number
  /** A refresh in the background has thrown; the last list is served. */
  onFailure: () => void
}

/** A list that others publish, as it is kept in memory. */
interface KeptList<List> {
  current(): Promise<List>
  /** Resolves at once if no refresh is running. */
  refreshed(): Promise<unknown>
}

/**
 * Keeps a list that has to be fetched. Callers get what is in memory at once while a stale list is refreshed in the
 * background; concurrent refreshes are merged.
 */
export function keepList<List>(input: KeepListInput<List>): KeptList<List> {
  const { now } = input
  let kept: { list: List; loadedAt: number; staleAt: number } | null = null
  let refreshing: Promise<List> | null = null

  async function load(): Promise<List> {
    const { list, freshMs } = await input.load(kept?.list ?? null)
    kept = { list, loadedAt: now(), staleAt: now() + freshMs }
    return list
  }

  function refresh(): Promise<List> {
    refreshing ??= load().finally(() => {
      refreshing = null
    })
    return refreshing
  }

  return {
    async current() {
      if (!kept) return refresh()
      if (now() < kept.staleAt) return kept.list
      const refreshed = refresh()
      // Neither an empty list nor an old one is served while a better one may be coming.
      if (input.isEmpty(kept.list) || now() - kept.loadedAt > SERVED_MS_MAX) return refreshed
      const tried = refreshed.catch(input.onFailure)
      input.keepAlive?.(tried)
      return kept.list
    },
    refreshed: async () => refreshing,
  }
}
