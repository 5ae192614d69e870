'use client'

import { useLocale, useTranslations } from 'next-intl'
import { Field } from '@/components/ui/field'
import { TextInput } from '@/components/ui/text-input'
import { useTyped } from '@/components/ui/use-typed'
import { amountToText, readAmount } from '@/lib/money/typed-amount'
import { LOW_BALANCE_THRESHOLD_MAX_USD, useLowBalanceThreshold, writeLowBalanceThreshold } from './threshold'

const LIMITS = { min: 0, max: LOW_BALANCE_THRESHOLD_MAX_USD, digitsMax: 4 }

/** The balance below which the notice appears. */
export function LowBalanceSetting() {
  const t = useTranslations('lowBalance')
  const locale = useLocale()
  const { isRefused, shown } = useTyped({
    stored: useLowBalanceThreshold(),
    textOf: usd => amountToText(usd, locale, LIMITS.digitsMax),
    read: text => readAmount(text, LIMITS, locale) ?? undefined,
    store: writeLowBalanceThreshold,
  })
  return (
    <Field label={t('setting')} hint={t('settingHint')} error={isRefused && t('settingProblem')}>
      {control => <TextInput {...control} inputMode="decimal" autoComplete="off" {...shown} />}
    </Field>
  )
}
