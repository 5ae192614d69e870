'use client'

import { useLocale, useTranslations } from 'next-intl'
import { Money } from '@/components/ui/money'
import { Skeleton } from '@/components/ui/skeleton'
import { formatBalance } from '@/lib/money/format-money'
import { useBalanceErrorText } from './balance-error-text'
import styles from './balance-view.module.css'
import type { BalanceState } from './use-balance'

/** A failure shows zero and says why. */
export function BalanceView({ balanceUsd, loading, error }: Omit<BalanceState, 'refresh'>) {
  const t = useTranslations('credit')
  const locale = useLocale()
  const errorText = useBalanceErrorText(error)
  return (
    <div role="status" aria-label={t('balance')} aria-busy={loading} className={styles.balance}>
      {loading ? (
        <Skeleton length="short" />
      ) : (
        <Money text={formatBalance(balanceUsd, locale)} className={styles.amount} />
      )}
      {errorText && (
        <span className={styles.error} title={errorText}>
          {errorText}
        </span>
      )}
    </div>
  )
}
