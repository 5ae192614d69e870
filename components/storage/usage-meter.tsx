'use client'

import { useLocale, useTranslations } from 'next-intl'
import { Meter } from '@/components/ui/meter'
import { STORAGE_WARNING_BYTES } from '@/lib/local/storage/limits'
import type { StorageUsage } from '@/lib/local/storage/storage-usage'
import { formatBytes } from './format-bytes'
import styles from './storage-dialog.module.css'

/** How much of the browser's room is used; warns from 90 percent on. */
export function UsageMeter({ usage }: { usage: StorageUsage }) {
  const t = useTranslations('storage')
  const locale = useLocale()
  const text = t('used', {
    used: formatBytes(usage.usedBytes, locale),
    max: formatBytes(usage.maxBytes, locale),
  })
  return (
    <div className={styles.usage}>
      <Meter
        label={t('usage')}
        value={usage.usedBytes}
        max={usage.maxBytes}
        valueText={text}
        highShare={STORAGE_WARNING_BYTES / usage.maxBytes}
      />
      <p className={styles.usageText}>{text}</p>
    </div>
  )
}
