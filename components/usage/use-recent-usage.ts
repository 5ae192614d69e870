'use client'

import useSWR from 'swr'
import { listRecentUsage, type RecentUsage } from '@/lib/ledger/client/list-recent-usage'

type Key = readonly ['recent usage', creditId: string, fromSeconds: number | null]

/** The period's calls for the charts and the filter's choices; null until they are there. */
export function useRecentUsage(creditId: string, fromSeconds: number | null): RecentUsage | null {
  const { data } = useSWR<RecentUsage, unknown, Key>(
    ['recent usage', creditId, fromSeconds],
    ([, credential, from]) => listRecentUsage(credential, { modelId: null, keyId: null, fromSeconds: from }),
    { revalidateOnFocus: false, keepPreviousData: true },
  )
  return data ?? null
}
