import { useTranslations } from 'next-intl'
import type { PriceRow } from './price-row'
import styles from './price-table.module.css'

/** What a row of a price table is about. */
export function ModelCell({ row }: { row: PriceRow }) {
  const t = useTranslations('pricing.table')
  return (
    <th scope="row">
      <span className={styles.name}>{row.name}</span>
      <span className={styles.detail}>
        <span className={styles.id}>{row.id}</span>
        {row.contextLength !== null && <span>{t('context', { count: row.contextLength })}</span>}
      </span>
    </th>
  )
}
