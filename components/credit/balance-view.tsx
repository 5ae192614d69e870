'use client'

import { useTranslations } from 'next-intl'
import { LiveRegion } from '@/components/ui/live-region'
import { Money } from '@/components/ui/money'
import { Skeleton } from '@/components/ui/skeleton'

import styles from './balance-view.module.css'

interface BalanceViewProps {
  /** The formatted amount; null while it loads. */
  amount: string | null
  isBusy?: boolean
  /** The last known amount, not the current one. */
  isOld?: boolean
  /** A remark beside an amount that is not certain. */
  note?: string | null
  problem?: string
  /** Says that the balance runs low; sighted people see it by the colour. */
  warning?: string | null
  /** The cost of the last answer. */
  spent?: string | null
  onSpentShown?: () => void
}

/** The balance in the header, whatever is known of it. A silent status, since each answer announces its own cost. */
export function BalanceView(props: BalanceViewProps) {
  const { amount, isBusy = amount === null, isOld = false, note = null, problem } = props
  const { warning = null, spent, onSpentShown } = props
  const t = useTranslations('credit')
  return (
    <div
      role="status"
      aria-live="off"
      aria-label={t('balance')}
      aria-busy={isBusy}
      data-low={warning !== null || undefined}
      data-unsure={problem !== undefined || undefined}
      title={problem}
      className={styles.balance}
    >
      {amount === null ? (
        <Skeleton length="short" />
      ) : (
        <Money text={amount} className={isOld ? styles.old : styles.amount} />
      )}
      <LiveRegion>{warning}</LiveRegion>
      {note && <span className={styles.note}>{note}</span>}
      {spent && !note && (
        <span
          key={spent}
          className={styles.spent}
          data-text={spent}
          aria-hidden="true"
          onAnimationEnd={onSpentShown}
        />
      )}
    </div>
  )
}
