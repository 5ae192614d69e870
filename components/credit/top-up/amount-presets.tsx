'use client'

import { useLocale, useTranslations } from 'next-intl'
import styles from './amount-presets.module.css'

/** Dollars: from a first try to a few months of regular use. */
const PRESETS = ['1', '5', '10', '20'] as const

interface AmountPresetsProps {
  amountText: string
  onChoose: (amountText: string) => void
}

export function AmountPresets({ amountText, onChoose }: AmountPresetsProps) {
  const t = useTranslations('topUp')
  const locale = useLocale()
  const dollars = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    maximumFractionDigits: 0,
  })
  return (
    <div role="group" aria-label={t('presets')} className={styles.presets}>
      {PRESETS.map(preset => (
        <button
          key={preset}
          type="button"
          className={styles.preset}
          aria-pressed={amountText.trim() === preset}
          onClick={() => onChoose(preset)}
        >
          {dollars.format(Number(preset))}
        </button>
      ))}
    </div>
  )
}
