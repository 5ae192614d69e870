'use client'

import { useFormatter, useTranslations } from 'next-intl'
import { Field } from '@/components/ui/field'
import { TextInput } from '@/components/ui/text-input'
import { useTyped } from '@/components/ui/use-typed'
import { isThreshold, useLowBalanceThreshold, writeLowBalanceThreshold } from './threshold'

const AMOUNT_PATTERN = /^\d{1,4}([.,]\d{1,4})?$/

/** The balance below which the notice appears. */
export function LowBalanceSetting() {
  const t = useTranslations('lowBalance')
  const format = useFormatter()
  const thresholdUsd = useLowBalanceThreshold()
  const stored = format.number(thresholdUsd, { useGrouping: false, maximumFractionDigits: 4 })
  const { typed, shown } = useTyped(stored, text => {
    const usd = parseThreshold(text)
    if (usd !== null) writeLowBalanceThreshold(usd)
  })
  const isRefused = typed !== null && parseThreshold(typed) === null
  return (
    <Field label={t('setting')} hint={t('settingHint')} error={isRefused && t('settingProblem')}>
      {control => <TextInput {...control} inputMode="decimal" autoComplete="off" {...shown} />}
    </Field>
  )
}

function parseThreshold(text: string): number | null {
  const trimmed = text.trim().replace(/^\$\s*|\s*\$$/g, '')
  const usd = AMOUNT_PATTERN.test(trimmed) ? Number(trimmed.replace(',', '.')) : null
  return isThreshold(usd) ? usd : null
}
