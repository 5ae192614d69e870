import { useLocale, useTranslations } from 'next-intl'
import { Money } from '@/components/ui/money'
import { formatMoney } from '@/lib/money/format-money'
import { ModelCell } from './model-cell'
import type { PriceRow } from './price-row'
import { unitPrices } from './price-row'
import styles from './price-table.module.css'

interface UnitPriceTableProps {
  caption: string
  rows: readonly PriceRow[]
}

/** Models that are paid by the image, the request or the text they read: each with its own units. */
export function UnitPriceTable({ caption, rows }: UnitPriceTableProps) {
  const t = useTranslations('pricing.table')
  const locale = useLocale()
  return (
    <div className={styles.frame}>
      <table className={styles.table}>
        <caption className={styles.caption}>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{t('model')}</th>
            <th scope="col" className={styles.amount}>
              {t('price')}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <tr key={row.id}>
              <ModelCell row={row} />
              <td className={styles.amount}>
                {unitPrices(row).map(({ unit, usd }) => (
                  <div key={unit}>
                    <Money text={formatMoney(usd, locale)} />{' '}
                    <span className={styles.unit}>{t(`unit.${unit}`)}</span>
                  </div>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
