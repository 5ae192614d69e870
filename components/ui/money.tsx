import { useLocale, useTranslations } from 'next-intl'
import { type ReactNode, useMemo } from 'react'
import { formatMoney, type RoundMoney, roundBalance, roundMoney } from '@/lib/money/format-money'
import styles from './money.module.css'

interface MoneyProps {
  /** Formatted by `useMoney` or lib/money/format-money. */
  text: ReactNode
  /** The exact amount in dollars, if the text is rounded. */
  exact?: string
  className?: string
}

/** An amount of money, in tabular figures so that its width stays when it changes. */
export function Money({ text, exact, className }: MoneyProps) {
  return (
    <span className={className ? `${styles.money} ${className}` : styles.money} title={exact}>
      {text}
    </span>
  )
}

/** Formats amounts in the person's language: exactly, rounded for reading, and as a balance. */
export function useMoney() {
  const t = useTranslations('common')
  const locale = useLocale()
  return useMemo(() => {
    const say = (amount: RoundMoney) =>
      amount.unit === 'dollar' ? amount.text : t('cents', { amount: amount.text, count: amount.count })
    return {
      exact: (usd: number | string) => formatMoney(usd, locale),
      about: (usd: number | string, rounding?: Parameters<typeof roundMoney>[2]) =>
        say(roundMoney(usd, locale, rounding)),
      balance: (usd: number | string) => say(roundBalance(usd, locale)),
    }
  }, [t, locale])
}
