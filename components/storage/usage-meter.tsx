'use client'

import { useLocale, useTranslations } from 'next-intl'
import { useCallback, useEffect, useState } from 'react'
import layout from '@/components/ui/layout.module.css'
import { Meter } from '@/components/ui/meter'
import notes from '@/components/ui/text.module.css'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import { STORAGE_WARNING_BYTES } from '@/lib/local/storage/storage-limits'
import { measureUsage, type StorageUsage } from '@/lib/local/storage/storage-usage'
import { formatBytes } from './format-bytes'
import styles from './storage-dialog.module.css'

/** What takes up the room, largest first, without empty parts. */
export function UsageParts({ usage }: { usage: StorageUsage }) {
  const t = useTranslations('storage')
  const locale = useLocale()
  const { usedBytes, conversationBytes, damagedBytes } = usage
  const parts = [
    { name: t('partChats'), bytes: conversationBytes },
    { name: t('setAsideTitle'), bytes: damagedBytes },
    { name: t('partOther'), bytes: usedBytes - conversationBytes - damagedBytes },
  ]
  return (
    <ul className={`${layout.list} ${styles.parts}`} aria-label={t('parts')}>
      {parts
        .filter(({ bytes }) => bytes > 0)
        .sort((left, right) => right.bytes - left.bytes)
        .map(({ name, bytes }) => (
          <li key={name} className={styles.part}>
            <span className={styles.name}>{name}</span>
            <span className={styles.size}>{formatBytes(bytes, locale)}</span>
          </li>
        ))}
    </ul>
  )
}

/** How full the browser's storage is; warns from 90 percent on. */
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
      <p className={`${notes.note} ${styles.usageText}`}>{text}</p>
    </div>
  )
}

/** How full local storage is, measured again whenever the conversations change. Null before the first measurement. */
export function useStorageUsage(): { usage: StorageUsage | null; measure: () => void } {
  const [usage, setUsage] = useState<StorageUsage | null>(null)
  const measure = useCallback(() => setUsage(measureUsage(guardedStorage)), [])
  useEffect(() => {
    measure()
    return conversationStore.subscribe(() => queueMicrotask(measure))
  }, [measure])
  return { usage, measure }
}
