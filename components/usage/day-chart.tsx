'use client'

import { useLocale, useTranslations } from 'next-intl'
import layout from '@/components/ui/layout.module.css'
import hidden from '@/components/ui/visually-hidden.module.css'
import { formatApproximateMoney, formatMoney } from '@/lib/money/format-money'
import type { DayTotal } from './totals'
import styles from './usage-charts.module.css'

const HEIGHT = 100
/** The share of its slot that a bar fills. */
const BAR_SHARE = 0.8
/** The minimum height for a day with any cost. */
const BAR_HEIGHT_MIN = 1.5

/** A bar chart of days. Drawn with SVG attributes, since the page's policy forbids style attributes. */
export function DayChart({ days }: { days: readonly DayTotal[] }) {
  const t = useTranslations('usage')
  const locale = useLocale()
  const [first, last] = [days[0], days.at(-1)]
  if (!first || !last) return null
  const highestUsd = Math.max(...days.map(({ usd }) => usd))
  const dayFormat = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' })
  return (
    <figure className={styles.figure}>
      <figcaption className={styles.title}>{t('perDay')}</figcaption>
      <p className={styles.highest} aria-hidden="true">
        {formatApproximateMoney(highestUsd, locale)}
      </p>
      <svg
        className={styles.bars}
        viewBox={`0 0 ${days.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t('perDaySummary', {
          first: dayFormat.format(first.date),
          last: dayFormat.format(last.date),
          highest: formatApproximateMoney(highestUsd, locale),
        })}
      >
        {days.map(({ date, usd }, index) => {
          const share = highestUsd > 0 ? usd / highestUsd : 0
          const height = usd > 0 ? Math.max(share * HEIGHT, BAR_HEIGHT_MIN) : 0
          return (
            <rect
              key={date.getTime()}
              x={index + (1 - BAR_SHARE) / 2}
              y={HEIGHT - height}
              width={BAR_SHARE}
              height={height}
              fill="currentColor"
            />
          )
        })}
      </svg>
      <p className={styles.axis} aria-hidden="true">
        <span>{dayFormat.format(first.date)}</span>
        {days.length > 1 && <span>{dayFormat.format(last.date)}</span>}
      </p>
      <details className={styles.alternative}>
        <summary>{t('asTable')}</summary>
        <table className={`${layout.table} ${styles.table}`}>
          <caption className={hidden.visuallyHidden}>{t('perDay')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('day')}</th>
              <th scope="col">{t('price')}</th>
            </tr>
          </thead>
          <tbody>
            {days.map(({ date, usd }) => (
              <tr key={date.getTime()}>
                <th scope="row">{dayFormat.format(date)}</th>
                <td>{formatMoney(usd, locale)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  )
}
