'use client'

import { useLocale, useTranslations } from 'next-intl'
import { Money } from '@/components/ui/money'
import { Skeleton } from '@/components/ui/skeleton'
import { formatBalance } from '@/lib/money/format-money'
import { useBalanceErrorText } from './balance-error-text'
import styles from './balance-status.module.css'
import { useBalance } from './use-balance'

/** The balance, always in the same place. A failure shows zero and says why. */
export function BalanceStatus() {
  const t = useTranslations('credit')
  const locale = useLocale()
  const { balanceUsd, loading, error } = useBalance()
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
