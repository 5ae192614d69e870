'use client'

import { useFormatter, useTranslations } from 'next-intl'
import { useState } from 'react'
import { Field } from '@/components/ui/field'
import { TextInput } from '@/components/ui/text-input'
import { isThreshold, useLowBalanceThreshold, writeLowBalanceThreshold } from './threshold'

const AMOUNT_PATTERN = /^\d{1,4}([.,]\d{1,4})?$/

/** The balance below which the notice appears. Stored while it is typed, as soon as it is a valid amount. */
export function LowBalanceSetting() {
  const t = useTranslations('lowBalance')
  const format = useFormatter()
  const thresholdUsd = useLowBalanceThreshold()
  const [draft, setDraft] = useState<string | null>(null)
  const parsed = draft === null ? thresholdUsd : parseThreshold(draft)

  const change = (text: string) => {
    setDraft(text)
    const usd = parseThreshold(text)
    if (usd !== null) writeLowBalanceThreshold(usd)
  }
  return (
    <Field
      label={t('setting')}
      hint={t('settingHint')}
      error={parsed === null ? t('settingProblem') : undefined}
    >
      {control => (
        <TextInput
          {...control}
          inputMode="decimal"
          autoComplete="off"
          value={draft ?? format.number(thresholdUsd, { useGrouping: false, maximumFractionDigits: 4 })}
          onChange={event => change(event.currentTarget.value)}
          onBlur={() => {
            if (parsed !== null) setDraft(null)
          }}
        />
      )}
    </Field>
  )
}

function parseThreshold(text: string): number | null {
  const trimmed = text.trim().replace(/^\$\s*|\s*\$$/g, '')
  const usd = AMOUNT_PATTERN.test(trimmed) ? Number(trimmed.replace(',', '.')) : null
  return isThreshold(usd) ? usd : null
}
