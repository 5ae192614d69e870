'use client'

import { useFormatter, useTranslations } from 'next-intl'
import { Field } from '@/components/ui/field'
import { TextInput } from '@/components/ui/text-input'
import { useStore } from '@/components/ui/use-store'
import { useTyped } from '@/components/ui/use-typed'
import {
  ASKED_FROM_USD,
  isSpendingLimit,
  type SpendingLimits,
  spendingLimitsStore,
  writeSpendingLimits,
} from '@/lib/local/spending-limits'

/** The prices above which the page asks before it sends. */
export function SpendingFields() {
  const limits = useStore(spendingLimitsStore)
  return (
    <>
      {(['messageUsd', 'conversationUsd'] as const).map(name => (
        <LimitField
          key={name}
          name={name}
          usd={limits[name]}
          onChange={usd => writeSpendingLimits({ ...limits, [name]: usd })}
        />
      ))}
    </>
  )
}

interface LimitFieldProps {
  name: keyof SpendingLimits
  usd: number | null
  onChange: (usd: number | null) => void
}

const CENTS_PER_USD = 100
const DEFAULT_CENTS = ASKED_FROM_USD * CENTS_PER_USD

function LimitField({ name, usd, onChange }: LimitFieldProps) {
  const t = useTranslations('settings.spending')
  const format = useFormatter()
  const parse = (text: string) => Number(text.trim().replace(',', '.')) / CENTS_PER_USD
  const stored =
    usd === null ? '' : format.number(usd * CENTS_PER_USD, { useGrouping: false, maximumFractionDigits: 9 })
  const { typed, shown } = useTyped(stored, text => {
    if (text.trim() === '') onChange(null)
    else if (isSpendingLimit(parse(text))) onChange(parse(text))
  })
  const isRefused = typed !== null && typed.trim() !== '' && !isSpendingLimit(parse(typed))
  return (
    <Field label={t(name)} hint={t(`${name}Hint`, { cents: DEFAULT_CENTS })} error={isRefused && t('error')}>
      {control => <TextInput {...control} inputMode="decimal" autoComplete="off" {...shown} />}
    </Field>
  )
}
