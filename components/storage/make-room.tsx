'use client'

import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { historyStore } from '@/lib/local/archive/history-store'
import { downloadExport } from './download-export'
import { LargestConversations } from './largest-conversations'
import { SetAsideData } from './set-aside-data'
import styles from './storage-dialog.module.css'
import { UsageMeter } from './usage-meter'
import { useStorageUsage } from './use-storage-usage'
import { useTask } from './use-task'

interface MakeRoomProps {
  onClose: () => void
}

/** What one can do about a full storage: move conversations away, export them, delete some. */
export function MakeRoom({ onClose }: MakeRoomProps) {
  const t = useTranslations('storage')
  const { usage, measure } = useStorageUsage()
  const [movedCount, setMovedCount] = useState<number | null>(null)
  const archiving = useTask(async () => setMovedCount(await historyStore.makeRoom()))
  const exporting = useTask(() => downloadExport(false))
  return (
    <>
      <p className={styles.lead}>{t('fullLead')}</p>
      {usage && <UsageMeter usage={usage} />}
      <div className={styles.actions}>
        <Button loading={archiving.state === 'running'} onClick={archiving.run}>
          {t('archive')}
        </Button>
        <Button variant="quiet" loading={exporting.state === 'running'} onClick={exporting.run}>
          {t('export')}
        </Button>
        <Button variant="quiet" onClick={onClose}>
          {t('continue')}
        </Button>
      </div>
      <p className={styles.hint}>{t('archiveHint')}</p>
      <p role="status" className={styles.result}>
        {archiving.state === 'failed' && t('archiveFailed')}
        {exporting.state === 'failed' && t('exportFailed')}
        {archiving.state === 'idle' && movedCount !== null && t('moved', { count: movedCount })}
      </p>
      {usage !== null && usage.damagedCount > 0 && <SetAsideData onDeleted={measure} />}
      <LargestConversations />
    </>
  )
}
