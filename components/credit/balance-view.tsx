'use client'

import { useTranslations } from 'next-intl'
import { LiveRegion } from '@/components/ui/live-region'
import { Money } from '@/components/ui/money'
import { Skeleton } from '@/components/ui/skeleton'

import styles from './balance-view.module.css'

interface BalanceViewProps {
  /** The formatted amount; null while it is on its way. */
  amount: string | null
  isBusy?: boolean
  /** The last one known, not the one of now. */
  isOld?: boolean
  /** What can be said beside an amount that is not sure. */
  note?: string | null
  problem?: string
  /** Says that it runs out; seen by its colour. */
  warning?: string | null
  /** What an answer has just taken from it. */
  spent?: string | null
  onSpentShown?: () => void
}

/**
 * The balance's place in the header, whatever is known of it. A status that stays silent: whoever listens
 * is told with each answer what that cost.
 */
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
