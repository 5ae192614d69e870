'use client'

import { useLocale, useTranslations } from 'next-intl'
import layout from '@/components/ui/layout.module.css'
import { formatMoney } from '@/lib/money/format-money'
import type { ModelTotal } from './totals'
import styles from './usage-charts.module.css'

/** More rows would be harder to read. */
const MODEL_COUNT_MAX = 8

/** A table with a bar in each row, which is as readable with a screen reader. */
export function ModelChart({ models }: { models: readonly ModelTotal[] }) {
  const t = useTranslations('usage')
  const locale = useLocale()
  const highestUsd = Math.max(0, ...models.map(({ usd }) => usd))
  return (
    <table className={`${layout.table} ${styles.table}`}>
      <caption className={styles.title}>{t('perModel')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('model')}</th>
          <th scope="col">{t('price')}</th>
        </tr>
      </thead>
      <tbody>
        {models.slice(0, MODEL_COUNT_MAX).map(({ modelId, usd, callCount }) => (
          <tr key={modelId}>
            <th scope="row">
              <span className={styles.model}>{modelId}</span>{' '}
              <span className={styles.calls}>{t('callCount', { count: callCount })}</span>
              <svg className={styles.bar} aria-hidden="true">
                <rect
                  width={`${highestUsd > 0 ? (usd / highestUsd) * 100 : 0}%`}
                  height="100%"
                  rx="3"
                  fill="currentColor"
                />
              </svg>
            </th>
            <td>{formatMoney(usd, locale)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
