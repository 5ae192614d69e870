'use client'

import { useLocale, useTranslations } from 'next-intl'
import { formatBytes } from '@/components/storage/format-bytes'
import { SetAsideData } from '@/components/storage/set-aside-data'
import { UsageMeter, useStorageUsage } from '@/components/storage/usage-meter'
import { useDataSummary } from './use-data-summary'
import styles from './your-data.module.css'

/** What this browser stores, and how much of it. @param importCount of this page, each of which may bring more */
export function DataList({ importCount }: { importCount: number }) {
  const t = useTranslations('yourData')
  const locale = useLocale()
  const summary = useDataSummary(importCount)
  const { usage, measure } = useStorageUsage()
  const size = (bytes: number) => formatBytes(bytes, locale)
  const { images, documents } = summary
  return (
    <>
      {usage && <UsageMeter usage={usage} />}
      <dl className={styles.list}>
        <dt>{t('conversations')}</dt>
        <dd>
          {t('countAndSize', {
            count: summary.conversationCount,
            size: size(usage?.conversationBytes ?? 0),
          })}
        </dd>
        <dt>{t('archived')}</dt>
        <dd>{t('count', { count: summary.archivedCount })}</dd>
        <dt>{t('images')}</dt>
        <dd>{images ? t('countAndSize', { count: images.count, size: size(images.bytes) }) : '…'}</dd>
        <dt>{t('documents')}</dt>
        <dd>
          {documents ? t('countAndSize', { count: documents.count, size: size(documents.bytes) }) : '…'}
        </dd>
        {usage !== null && usage.damagedCount > 0 && (
          <>
            <dt>{t('damaged')}</dt>
            <dd>{t('countAndSize', { count: usage.damagedCount, size: size(usage.damagedBytes) })}</dd>
          </>
        )}
        <dt>{t('credit')}</dt>
        <dd>{summary.creditSegment ? t('creditHeld', { segment: summary.creditSegment }) : t('noCredit')}</dd>
      </dl>
      {usage !== null && usage.damagedCount > 0 && <SetAsideData onDeleted={measure} />}
    </>
  )
}
