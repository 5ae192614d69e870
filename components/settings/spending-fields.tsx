'use client'

import { useLocale, useTranslations } from 'next-intl'
import { Field } from '@/components/ui/field'
import { TextInput } from '@/components/ui/text-input'
import { useStore } from '@/components/ui/use-store'
import { useTyped } from '@/components/ui/use-typed'
import {
  ASKED_FROM_USD,
  LIMIT_USD_MAX,
  type SpendingLimits,
  spendingLimitsStore,
  writeSpendingLimits,
} from '@/lib/local/spending-limits'
import { amountToText, readAmount } from '@/lib/money/typed-amount'

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
/** Down to a nano-dollar. */
const LIMITS = { min: 0, max: LIMIT_USD_MAX * CENTS_PER_USD, digitsMax: 7, inCents: true }

function LimitField({ name, usd, onChange }: LimitFieldProps) {
  const t = useTranslations('settings.spending')
  const locale = useLocale()
  const { isRefused, shown } = useTyped({
    stored: usd,
    textOf: limit => {
      // Seven cents are 7.000000000000001 of them, as binary fractions multiply.
      const cents = limit === null ? null : Number((limit * CENTS_PER_USD).toFixed(LIMITS.digitsMax))
      return cents === null ? '' : amountToText(cents, locale, LIMITS.digitsMax)
    },
    read: text => {
      if (text.trim() === '') return null
      const cents = readAmount(text, LIMITS, locale)
      return cents === null ? undefined : cents / CENTS_PER_USD
    },
    store: onChange,
  })
  return (
    <Field label={t(name)} hint={t(`${name}Hint`, { cents: DEFAULT_CENTS })} error={isRefused && t('error')}>
      {control => <TextInput {...control} inputMode="decimal" autoComplete="off" {...shown} />}
    </Field>
  )
}
