'use client'

import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { AccountSection } from '@/components/account/account-section'
import { useKeys } from '@/components/keys/use-keys'
import type { UsageFilter } from '@/lib/ledger/client/usage-filter'
import { periodStartSeconds } from './period'
import { UsageCalls } from './usage-calls'
import { UsageCharts } from './usage-charts'
import { type UsageChoice, UsageFilters } from './usage-filters'
import { useRecentUsage } from './use-recent-usage'

const FIRST_CHOICE: UsageChoice = { period: 'month', modelId: '', keyId: '' }

/** Every call with its price, failed ones at nothing included. Absent where there is no credit. */
export function UsageSection() {
  const t = useTranslations('usage')
  const { creditId, keys } = useKeys()
  if (!creditId) return null
  return (
    <AccountSection id="usage" title={t('title')} lead={t('lead')}>
      <Usage key={creditId} creditId={creditId} keys={keys ?? []} />
    </AccountSection>
  )
}

function Usage({ creditId, keys }: Pick<Parameters<typeof UsageCalls>[0], 'creditId' | 'keys'>) {
  const [choice, setChoice] = useState(FIRST_CHOICE)
  const [nowMs] = useState(() => Date.now())
  const fromSeconds = periodStartSeconds(choice.period, nowMs)
  const recent = useRecentUsage(creditId, fromSeconds)
  const seen = new Set(recent?.entries.map(entry => entry.modelId))
  // What is chosen stays a choice, even where the period has no call of it.
  if (choice.modelId !== '') seen.add(choice.modelId)
  const filter: UsageFilter = {
    modelId: choice.modelId || null,
    keyId: choice.keyId || null,
    fromSeconds,
  }
  return (
    <>
      <UsageFilters choice={choice} modelIds={[...seen].sort()} keys={keys} onChange={setChoice} />
      {recent && <UsageCharts recent={recent} choice={choice} />}
      <UsageCalls creditId={creditId} filter={filter} keys={keys} />
    </>
  )
}
