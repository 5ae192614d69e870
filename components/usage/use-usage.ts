'use client'

import useSWRInfinite from 'swr/infinite'
import { errorCodeOf } from '@/lib/http/client/call-api'
import { listUsage, type UsageEntryPage } from '@/lib/ledger/client/list-usage'
import type { UsageEntry } from '@/lib/ledger/client/usage-entry'
import type { UsageFilter } from '@/lib/ledger/client/usage-filter'

/** A screenful on a phone. */
const PAGE_SIZE = 10

type Key = readonly ['usage', creditId: string, filter: UsageFilter, cursor: string | null]

/** The calls that match, as many pages as were asked for; null until the first one is there. */
export function useUsage(creditId: string, filter: UsageFilter) {
  const { data, error, size, setSize, isValidating, mutate } = useSWRInfinite<UsageEntryPage, unknown>(
    (index, previous: UsageEntryPage | null): Key | null => {
      if (index > 0 && !previous?.nextCursor) return null
      return ['usage', creditId, filter, previous?.nextCursor ?? null]
    },
    ([, credential, wanted, cursor]: Key) => listUsage(credential, wanted, { limit: PAGE_SIZE, cursor }),
    // Pages that stand do not move under a reader; new calls come when the page is opened again.
    { revalidateFirstPage: false, revalidateOnFocus: false },
  )
  const entries: UsageEntry[] | null = data ? data.flatMap(page => page.entries) : null
  return {
    entries,
    errorCode: error === undefined ? null : errorCodeOf(error),
    hasMore: data?.at(-1)?.nextCursor != null,
    loadingMore: isValidating && data !== undefined && data.length < size,
    loadMore: () => void setSize(size + 1),
    retry: () => void mutate(),
  }
}
