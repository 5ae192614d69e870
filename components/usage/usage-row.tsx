'use client'

import { useLocale, useTranslations } from 'next-intl'
import { Money } from '@/components/ui/money'
import type { Query } from '@/lib/api/contracts/queries'
import { formatMoney } from '@/lib/money/format-money'
import { UsageCounts } from './usage-counts'
import styles from './usage-table.module.css'

interface UsageRowProps {
  entry: Query
  /** Null for a call without a key, or with an unknown one. */
  keyName: string | null
  onExplain: () => void
}

export function UsageRow({ entry, keyName, onExplain }: UsageRowProps) {
  const t = useTranslations('usage')
  const locale = useLocale()
  const time = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
  const price = formatMoney(entry.price_in_usd, locale)
  // A failed call is charged if part of the answer had arrived.
  const isPaidFailure = entry.status === 'failed' && entry.price_in_usd > 0
  return (
    <tr>
      <th scope="row">
        <span className={styles.model}>{entry.model}</span>
        <span className={styles.detail}>
          <time dateTime={entry.timestamp}>{time.format(new Date(entry.timestamp))}</time>
          {' · '}
          {t(`source.${entry.query_source}`)}
          {keyName !== null && (
            <>
              {' · '}
              <bdi>{keyName}</bdi>
            </>
          )}
        </span>
        {entry.status !== 'completed' && (
          <span className={entry.status === 'failed' ? `${styles.status} ${styles.failed}` : styles.status}>
            {t(isPaidFailure ? 'status.brokenOff' : `status.${entry.status}`)}
            {entry.error_code !== null && <code className={styles.code}>{entry.error_code}</code>}
          </span>
        )}
      </th>
      <td className={styles.tokens}>
        <UsageCounts entry={entry} />
      </td>
      <td className={styles.price}>
        <button
          type="button"
          className={styles.explain}
          aria-label={t('whyThisCost', { price })}
          onClick={onExplain}
        >
          <Money text={price} />
        </button>
      </td>
    </tr>
  )
}
