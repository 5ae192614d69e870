/** Data-fetching cache of the specification (section 9). */
const CACHE_MS = 5 * 60_000
export const RETRY_COUNT_MAX = 3
const BACKOFF_BASE_MS = 1000
export const BACKOFF_MAX_MS = 30_000

/** 1, 2, 4 … seconds before the attempts after a failure, at most 30. `retryCount` starts at 1. */
export function retryDelayMs(retryCount: number): number {
  return Math.min(BACKOFF_BASE_MS * 2 ** (retryCount - 1), BACKOFF_MAX_MS)
}

interface Retry {
  retryCount: number
}

/** For SWR. A first load always asks; mounting again within five minutes uses what is there. */
export const balanceOptions = {
  dedupingInterval: CACHE_MS,
  onErrorRetry: (
    _error: unknown,
    _key: string,
    _config: unknown,
    revalidate: (retry: Retry) => unknown,
    { retryCount }: Retry,
  ) => {
    if (retryCount > RETRY_COUNT_MAX) return
    setTimeout(() => revalidate({ retryCount }), retryDelayMs(retryCount))
  },
}
