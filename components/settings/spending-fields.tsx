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
  const parse = (text: string) => readAmount(text, LIMITS, locale)
  // Seven cents are 7.000000000000001 of them, as binary fractions multiply.
  const cents = usd === null ? null : Number((usd * CENTS_PER_USD).toFixed(LIMITS.digitsMax))
  const stored = cents === null ? '' : amountToText(cents, locale, LIMITS.digitsMax)
  const { typed, shown } = useTyped(stored, text => {
    const read = parse(text)
    if (text.trim() === '') onChange(null)
    else if (read !== null) onChange(read / CENTS_PER_USD)
  })
  const isRefused = typed !== null && typed.trim() !== '' && parse(typed) === null
  return (
    <Field label={t(name)} hint={t(`${name}Hint`, { cents: DEFAULT_CENTS })} error={isRefused && t('error')}>
      {control => <TextInput {...control} inputMode="decimal" autoComplete="off" {...shown} />}
    </Field>
  )
}
