'use client'

import { useTranslations } from 'next-intl'
import { useEffect, useRef, useState } from 'react'
import useSWRInfinite from 'swr/infinite'
import type { NamedKey } from '@/components/keys/use-keys'
import { RequestProblem } from '@/components/request/request-problem'
import type { useRequest } from '@/components/request/use-request'
import { Button } from '@/components/ui/button'
import layout from '@/components/ui/layout.module.css'
import { LiveRegion } from '@/components/ui/live-region'
import { saveFile } from '@/components/ui/save-file'
import { Skeleton } from '@/components/ui/skeleton'
import text from '@/components/ui/text.module.css'
import { fetchQueries, fetchQueriesCsv, type QueryFilter } from '@/lib/api/client/queries'
import type { Query, QueryPage } from '@/lib/api/contracts/queries'
import { fetchErrorCode } from '@/lib/http/client/call-api'
import type { CallErrorCode } from '@/lib/http/domain/error-codes'
import { UsageTable } from './usage-table'

interface UsageCallsProps {
  /** Undefined until the page has hydrated. */
  creditId: string | undefined
  filter: QueryFilter
  keys: readonly NamedKey[]
  /** The file of all of them. */
  download: ReturnType<typeof useRequest>
  /** Of what is shown beside the list, which is tried again with it. */
  besideErrorCode: CallErrorCode | null
  onRetry: () => void
}

/** The individual calls, newest first and page by page, and all of them as a file. */
export function UsageCalls(props: UsageCallsProps) {
  const { creditId, filter, keys, download, besideErrorCode } = props
  const t = useTranslations('usage')
  const { entries, errorCode, hasMore, loadingMore, loadMore, retry } = useUsage(creditId, filter)
  const shownErrorCode = errorCode ?? besideErrorCode
  const [firstFilter] = useState(filter)
  const [isAsked, setAsked] = useState(false)
  if (!isAsked && !isSameFilter(filter, firstFilter)) setAsked(true)
  const saveRef = useRef<HTMLButtonElement>(null)
  const hadMore = useRef(hasMore)
  // The button for more disappears with the last page.
  useEffect(() => {
    if (hadMore.current && !hasMore && document.activeElement === document.body) saveRef.current?.focus()
    hadMore.current = hasMore
  }, [hasMore])
  const saveCsv = () =>
    creditId &&
    download.run(async () =>
      saveFile(new Blob([await fetchQueriesCsv(creditId, filter)], { type: 'text/csv' }), 'usage.csv'),
    )

  return (
    <>
      {entries === null && errorCode === null && (
        <p className={text.muted}>
          <Skeleton length="long" />
        </p>
      )}
      {entries?.length === 0 && (
        <p className={text.muted}>{t(filter.modelId || filter.keyId ? 'noneChosen' : 'none')}</p>
      )}
      {entries && entries.length > 0 && <UsageTable entries={entries} keys={keys} />}
      {/* Not when the page is opened: nobody has asked for the list then. */}
      <LiveRegion>{isAsked && entries ? t('shownCount', { count: entries.length }) : ''}</LiveRegion>
      {/* Without a network, everything fails for the same reason. */}
      <RequestProblem
        errorCode={shownErrorCode ?? download.errorCode}
        onRetry={
          shownErrorCode === null
            ? undefined
            : () => {
                retry()
                props.onRetry()
              }
        }
      />
      {entries && entries.length > 0 && (
        <div className={layout.row}>
          {hasMore && (
            <Button
              variant="quiet"
              loading={loadingMore}
              onClick={() => {
                setAsked(true)
                loadMore()
              }}
            >
              {t('loadMore')}
            </Button>
          )}
          <Button ref={saveRef} variant="quiet" loading={download.busy} onClick={() => void saveCsv()}>
            {t('downloadCsv')}
          </Button>
        </div>
      )}
    </>
  )
}

function isSameFilter(left: QueryFilter, right: QueryFilter): boolean {
  return (
    left.modelId === right.modelId && left.keyId === right.keyId && left.fromSeconds === right.fromSeconds
  )
}

/** About a screen on a phone. Whoever asks for more may be looking for a call among hundreds. */
const PAGE_SIZE = 10
const FURTHER_PAGE_SIZE = 50

type PageKey = readonly [
  'usage',
  'calls',
  creditId: string,
  filter: QueryFilter,
  cursor: string | null,
  openedAtMs: number,
]

/** The matching calls, as many pages as were loaded; null until the first page is there. */
function useUsage(creditId: string | undefined, filter: QueryFilter) {
  // The time is part of the key, so that a newly opened list is never served from the cache.
  const [openedAtMs] = useState(Date.now)
  const { data, error, size, setSize, isValidating, mutate } = useSWRInfinite<QueryPage, unknown>(
    (index, previous: QueryPage | null): PageKey | null => {
      if (creditId === undefined || (index > 0 && !previous?.next_cursor)) return null
      return ['usage', 'calls', creditId, filter, previous?.next_cursor ?? null, openedAtMs]
    },
    ([, , credential, wanted, cursor]: PageKey) =>
      fetchQueries(credential, wanted, { limit: cursor === null ? PAGE_SIZE : FURTHER_PAGE_SIZE, cursor }),
    // Pages that are shown must not move while they are read.
    { revalidateFirstPage: false, revalidateOnFocus: false },
  )
  const entries: Query[] | null = data ? data.flatMap(page => page.data) : null
  return {
    entries,
    errorCode: fetchErrorCode(error),
    hasMore: data?.at(-1)?.next_cursor != null,
    loadingMore: isValidating && data !== undefined && data.length < size,
    loadMore: () => void setSize(size + 1),
    retry: () => void mutate(),
  }
}
