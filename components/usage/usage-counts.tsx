import { useFormatter, useTranslations } from 'next-intl'
import type { Query } from '@/lib/api/contracts/queries'
import styles from './usage-table.module.css'

/** The input and output of a call, in the unit that the model is priced by. */
export function UsageCounts({ entry }: { entry: Query }) {
  const t = useTranslations('usage')
  const format = useFormatter()
  const { price_snapshot: priceSnapshot } = entry
  if (Object.hasOwn(priceSnapshot, 'input_character')) {
    return <span className={styles.line}>{t('characters', { count: entry.input_count })}</span>
  }
  if (Object.hasOwn(priceSnapshot, 'input_second')) {
    return <span className={styles.line}>{t('seconds', { count: entry.input_count })}</span>
  }
  if (entry.query_type === 'image' && entry.input_count + entry.output_count === 0) {
    return <span className={styles.line}>{t('pictures')}</span>
  }
  return (
    <>
      <span className={styles.line}>{t('tokensIn', { count: format.number(entry.input_count) })}</span>
      {entry.cached_input_count > 0 && (
        <span className={styles.detail}>
          {t('tokensCached', { count: format.number(entry.cached_input_count) })}
        </span>
      )}
      <span className={styles.line}>{t('tokensOut', { count: format.number(entry.output_count) })}</span>
    </>
  )
}
