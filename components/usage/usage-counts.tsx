import { useFormatter, useTranslations } from 'next-intl'
import type { UsageEntry } from '@/lib/ledger/client/usage-entry'
import styles from './usage-table.module.css'

/** How much went in and came out, in the unit that the model is paid by. */
export function UsageCounts({ entry }: { entry: UsageEntry }) {
  const t = useTranslations('usage')
  const format = useFormatter()
  const { inputTokenCount, cachedInputTokenCount, outputTokenCount, priceSnapshot } = entry
  if (Object.hasOwn(priceSnapshot, 'input_character')) {
    return <span className={styles.line}>{t('characters', { count: inputTokenCount })}</span>
  }
  if (Object.hasOwn(priceSnapshot, 'input_second')) {
    return <span className={styles.line}>{t('seconds', { count: inputTokenCount })}</span>
  }
  return (
    <>
      <span className={styles.line}>{t('tokensIn', { count: format.number(inputTokenCount) })}</span>
      {cachedInputTokenCount > 0 && (
        <span className={styles.detail}>
          {t('tokensCached', { count: format.number(cachedInputTokenCount) })}
        </span>
      )}
      <span className={styles.line}>{t('tokensOut', { count: format.number(outputTokenCount) })}</span>
    </>
  )
}
