'use client'

import type { ReactNode } from 'react'
import { SWRConfig, type SWRConfiguration } from 'swr'

const CACHE_MS = 5 * 60_000
const RETRY_COUNT_MAX = 3
const BACKOFF_BASE_MS = 1000
const BACKOFF_MAX_MS = 30_000

/**
 * The defaults of all fetching: results are fresh for five minutes, and a failed request is retried three times, after
 * 1, 2 and 4 seconds. Exceptions are made where the data is fetched.
 */
const POLICY: SWRConfiguration = {
  dedupingInterval: CACHE_MS,
  errorRetryCount: RETRY_COUNT_MAX,
  onErrorRetry(_error, _key, { errorRetryCount = RETRY_COUNT_MAX }, revalidate, options) {
    if (options.retryCount > errorRetryCount) return
    const delayMs = Math.min(BACKOFF_BASE_MS * 2 ** (options.retryCount - 1), BACKOFF_MAX_MS)
    setTimeout(() => revalidate(options), delayMs)
  },
}

export function DataFetching({ children }: { children: ReactNode }) {
  return <SWRConfig value={POLICY}>{children}</SWRConfig>
}
