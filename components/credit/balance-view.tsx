'use client'

import { useTranslations } from 'next-intl'
import { Money } from '@/components/ui/money'
import { Skeleton } from '@/components/ui/skeleton'
import { VisuallyHidden } from '@/components/ui/visually-hidden'
import styles from './balance-view.module.css'

interface BalanceViewProps {
  /** The formatted amount; null while it is on its way. */
  amount: string | null
  problem?: string | null
  /** Says that it runs out; seen by its colour. */
  warning?: string | null
}

/** The balance's place in the header, whatever is known of it. */
export function BalanceView({ amount, problem = null, warning = null }: BalanceViewProps) {
  const t = useTranslations('credit')
  return (
    <div
      role="status"
      aria-label={t('balance')}
      aria-busy={amount === null}
      data-low={warning !== null || undefined}
      className={styles.balance}
    >
      {amount === null ? <Skeleton length="short" /> : <Money text={amount} className={styles.amount} />}
      {warning && <VisuallyHidden>{warning}</VisuallyHidden>}
      {problem && (
        <span className={styles.error} title={problem}>
          {problem}
        </span>
      )}
    </div>
  )
}
