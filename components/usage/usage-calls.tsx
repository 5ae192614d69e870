'use client'

import { useTranslations } from 'next-intl'
import { RequestProblem } from '@/components/account/request-problem'
import { saveFile } from '@/components/account/save-file'
import { useRequest } from '@/components/account/use-request'
import { Button } from '@/components/ui/button'
import layout from '@/components/ui/layout.module.css'
import { LiveRegion } from '@/components/ui/live-region'
import { Skeleton } from '@/components/ui/skeleton'
import text from '@/components/ui/text.module.css'
import type { KeyView } from '@/lib/ledger/client/api-key'
import { fetchUsageCsv } from '@/lib/ledger/client/fetch-usage-csv'
import type { UsageFilter } from '@/lib/ledger/client/usage-filter'
import { UsageTable } from './usage-table'
import { useUsage } from './use-usage'

interface UsageCallsProps {
  creditId: string
  filter: UsageFilter
  keys: readonly KeyView[]
}

/** The calls themselves, newest first, a page at a time, and all of them as a file. */
export function UsageCalls({ creditId, filter, keys }: UsageCallsProps) {
  const t = useTranslations('usage')
  const { entries, errorCode, hasMore, loadingMore, loadMore, retry } = useUsage(creditId, filter)
  const download = useRequest()
  const saveCsv = () =>
    download.run(async () => saveFile('usage.csv', await fetchUsageCsv(creditId, filter), 'text/csv'))

  return (
    <>
      {entries === null && errorCode === null && <Skeleton length="long" />}
      {entries?.length === 0 && <p className={text.muted}>{t('none')}</p>}
      {entries && entries.length > 0 && <UsageTable entries={entries} keys={keys} />}
      <LiveRegion>
        {entries && entries.length > 0 ? t('shownCount', { count: entries.length }) : ''}
      </LiveRegion>
      <RequestProblem errorCode={errorCode} onRetry={retry} />
      <RequestProblem errorCode={download.errorCode} />
      {entries && entries.length > 0 && (
        <div className={layout.row}>
          {hasMore && (
            <Button variant="quiet" loading={loadingMore} onClick={loadMore}>
              {t('loadMore')}
            </Button>
          )}
          <Button variant="quiet" loading={download.busy} onClick={() => void saveCsv()}>
            {t('downloadCsv')}
          </Button>
        </div>
      )}
    </>
  )
}
