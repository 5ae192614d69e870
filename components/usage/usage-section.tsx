'use client'

import { useTranslations } from 'next-intl'
import { useState } from 'react'
import useSWR, { useSWRConfig } from 'swr'
import { CreditSection } from '@/components/account/credit-section'
import { useKeys } from '@/components/keys/use-keys'
import { useRequest } from '@/components/request/use-request'
import { Button } from '@/components/ui/button'
import layout from '@/components/ui/layout.module.css'
import { lazyPart } from '@/components/ui/lazy-part'
import { Skeleton } from '@/components/ui/skeleton'
import text from '@/components/ui/text.module.css'
import { fetchRecentQueries, type QueryFilter, type RecentQueries } from '@/lib/api/client/queries'
import type { CallErrorCode } from '@/lib/http/domain/error-codes'
import { DayChart } from './day-chart'
import { ModelChart } from './model-chart'
import { periodStartSeconds } from './period'
import { dailyTotals, modelTotals } from './totals'
import { UsageCalls } from './usage-calls'
import { type UsageChoice, UsageFilters } from './usage-filters'

/** Loaded on demand, since few people need it. */
const Statement = lazyPart(async () => (await import('./statement')).Statement, 'with-error')

const FIRST_CHOICE: UsageChoice = { period: 'month', modelId: '', keyId: '' }

/** All calls with their prices, including failed ones, most of which cost nothing. */
export function UsageSection() {
  const t = useTranslations('usage')
  const { keys } = useKeys()
  return (
    <CreditSection id="usage" title={t('title')} lead={t('lead')}>
      {creditId => <Usage key={creditId} creditId={creditId} keys={keys ?? []} />}
    </CreditSection>
  )
}

function Usage({ creditId, keys }: Pick<Parameters<typeof UsageCalls>[0], 'creditId' | 'keys'>) {
  const [choice, setChoice] = useState(FIRST_CHOICE)
  const [nowMs] = useState(Date.now)
  const fromSeconds = periodStartSeconds(choice.period, nowMs)
  const recent = useRecentUsage(creditId, fromSeconds)
  const download = useRequest()
  const [statementErrorCode, setStatementErrorCode] = useState<CallErrorCode | null>(null)
  const { mutate } = useSWRConfig()
  const seen = new Set(recent?.entries.map(entry => entry.model))
  // The chosen model stays selectable even if the period has no call of it.
  if (choice.modelId !== '') seen.add(choice.modelId)
  const filter: QueryFilter = {
    modelId: choice.modelId || null,
    keyId: choice.keyId || null,
    fromSeconds,
  }
  return (
    <>
      <UsageFilters
        choice={choice}
        modelIds={[...seen].sort()}
        keys={keys}
        onChange={chosen => {
          download.forget()
          setChoice(chosen)
        }}
      />
      {recent && <UsageCharts recent={recent} choice={choice} nowMs={nowMs} />}
      <UsageCalls
        creditId={creditId}
        filter={filter}
        keys={keys}
        download={download}
        besideErrorCode={statementErrorCode}
        onRetry={() => {
          download.forget()
          void mutate(isOfUsage)
        }}
      />
      <MonthlyStatement creditId={creditId} onErrorCode={setStatementErrorCode} />
    </>
  )
}

interface MonthlyStatementProps {
  creditId: string | undefined
  onErrorCode: (errorCode: CallErrorCode | null) => void
}

function MonthlyStatement({ creditId, onErrorCode }: MonthlyStatementProps) {
  const t = useTranslations('usage.statement')
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <div className={layout.row}>
        <Button variant="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {t('open')}
        </Button>
      </div>
      {isOpen && creditId && (
        <Statement creditId={creditId} onErrorCode={onErrorCode} fallback={<Skeleton length="long" />} />
      )}
    </>
  )
}

interface UsageChartsProps {
  recent: RecentQueries
  choice: UsageChoice
  nowMs: number
}

/** The cost of the chosen calls by day and by model. Absent if nothing was spent. */
function UsageCharts({ recent, choice, nowMs }: UsageChartsProps) {
  const t = useTranslations('usage')
  const calls = recent.entries.filter(
    entry =>
      (choice.modelId === '' || entry.model === choice.modelId) &&
      (choice.keyId === '' || entry.api_key_id === choice.keyId),
  )
  if (calls.every(call => call.price_in_usd === 0)) return null
  return (
    <div className={layout.looseStack}>
      {choice.period !== 'day' && <DayChart days={dailyTotals(calls, nowMs)} />}
      <ModelChart models={modelTotals(calls)} />
      {recent.truncated && (
        <p className={text.hint}>{t('chartTruncated', { count: recent.entries.length })}</p>
      )}
    </div>
  )
}

type Key = readonly ['usage', 'recent', creditId: string, fromSeconds: number | null] | null

const isOfUsage = (key: unknown): boolean => Array.isArray(key) && key[0] === 'usage'

interface RecentUsage extends RecentQueries {
  fromSeconds: number | null
}

/** The period's calls, for the charts and the choices of the filter; null until they are loaded. */
function useRecentUsage(creditId: string | undefined, fromSeconds: number | null): RecentQueries | null {
  const { data, error } = useSWR<RecentUsage, unknown, Key>(
    creditId === undefined ? null : ['usage', 'recent', creditId, fromSeconds],
    async ([, , credential, from]) => ({
      ...(await fetchRecentQueries(credential, { modelId: null, keyId: null, fromSeconds: from })),
      fromSeconds: from,
    }),
    // As fresh as the list below.
    { revalidateOnFocus: false, keepPreviousData: true, dedupingInterval: 0 },
  )
  // Those of the period before stand in for ones that are on their way, not for ones that do not come.
  const isOfOtherPeriod = data?.fromSeconds !== fromSeconds
  return data && !(error && isOfOtherPeriod) ? data : null
}
