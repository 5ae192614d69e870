import { useLocale, useTranslations } from 'next-intl'
import { Money } from '@/components/ui/money'
import { formatApproximateMoney, formatMoney } from '@/lib/money/format-money'
import { nanoToUsdNumber } from '@/lib/money/nano'
import { ModelCell } from './model-cell'
import type { PriceRow } from './price-row'
import styles from './price-table.module.css'

interface PriceTableProps {
  caption: string
  rows: readonly PriceRow[]
}

/** Chat models: tokens in, tokens out, and what an everyday message comes to. */
export function PriceTable({ caption, rows }: PriceTableProps) {
  const t = useTranslations('pricing.table')
  const locale = useLocale()
  const price = (usd: string | null) => (usd === null ? t('free') : formatMoney(usd, locale))
  return (
    <div className={styles.frame}>
      <table className={styles.table}>
        <caption className={styles.caption}>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{t('model')}</th>
            <th scope="col" className={styles.amount}>
              {t('input')}
            </th>
            <th scope="col" className={styles.amount}>
              {t('output')}
            </th>
            <th scope="col" className={styles.amount}>
              {t('message')}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <tr key={row.id}>
              <ModelCell row={row} />
              <td className={styles.amount}>
                <Money text={price(row.inputPerMillionUsd)} />
              </td>
              <td className={styles.amount}>
                <Money text={price(row.outputPerMillionUsd)} />
              </td>
              <td className={styles.amount}>
                <Money
                  className={styles.message}
                  text={
                    row.averageMessageNano === 0n
                      ? t('free')
                      : formatApproximateMoney(nanoToUsdNumber(row.averageMessageNano), locale)
                  }
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
