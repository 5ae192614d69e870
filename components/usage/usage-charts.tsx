'use client'

import { useTranslations } from 'next-intl'
import { useState } from 'react'
import layout from '@/components/ui/layout.module.css'
import text from '@/components/ui/text.module.css'
import type { RecentUsage } from '@/lib/ledger/client/list-recent-usage'
import { DayChart } from './day-chart'
import { ModelChart } from './model-chart'
import { dailyTotals, modelTotals } from './totals'
import type { UsageChoice } from './usage-filters'

interface UsageChartsProps {
  recent: RecentUsage
  choice: UsageChoice
}

/** What the chosen calls cost by day and by model. Nothing where nothing was spent. */
export function UsageCharts({ recent, choice }: UsageChartsProps) {
  const t = useTranslations('usage')
  const [nowMs] = useState(() => Date.now())
  const calls = recent.entries.filter(
    entry =>
      (choice.modelId === '' || entry.modelId === choice.modelId) &&
      (choice.keyId === '' || entry.keyId === choice.keyId),
  )
  if (calls.every(call => call.priceUsd === 0)) return null
  return (
    <div className={layout.form}>
      {choice.period !== 'day' && <DayChart days={dailyTotals(calls, nowMs)} />}
      <ModelChart models={modelTotals(calls)} />
      {recent.truncated && (
        <p className={text.hint}>{t('chartTruncated', { count: recent.entries.length })}</p>
      )}
    </div>
  )
}
