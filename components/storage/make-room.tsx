'use client'

import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { useRequest } from '@/components/request/use-request'
import { Button } from '@/components/ui/button'
import text from '@/components/ui/text.module.css'
import { historyStore } from '@/lib/local/archive/history-store'
import { LargestConversations } from './largest-conversations'
import { SetAsideData } from './set-aside-data'
import styles from './storage-dialog.module.css'
import { UsageMeter, UsageParts, useStorageUsage } from './usage-meter'
import { useExport } from './use-export'

interface MakeRoomProps {
  /** Says how urgent it is. */
  lead: string
  onClose: () => void
}

/** Ways to free a full storage: archive conversations, export them, or delete some. */
export function MakeRoom({ lead, onClose }: MakeRoomProps) {
  const t = useTranslations('storage')
  const { usage, measure } = useStorageUsage()
  const [movedCount, setMovedCount] = useState<number | null>(null)
  const archiving = useRequest()
  const exporting = useExport()
  return (
    <>
      <p className={styles.lead}>{lead}</p>
      {usage && <UsageMeter usage={usage} />}
      {usage && <UsageParts usage={usage} />}
      <div className={styles.actions}>
        <Button
          loading={archiving.busy}
          onClick={() => void archiving.run(async () => setMovedCount(await historyStore.makeRoom()))}
        >
          {t('archive')}
        </Button>
        <Button variant="quiet" loading={exporting.busy} onClick={() => exporting.start()}>
          {t('export')}
        </Button>
        <Button variant="quiet" onClick={onClose}>
          {t('continue')}
        </Button>
      </div>
      <p className={text.note}>{t('archiveHint')}</p>
      <p role="status" className={`${text.result} ${styles.result}`}>
        {archiving.errorCode !== null && t('archiveFailed')}
        {exporting.outcome}
        {!archiving.busy &&
          archiving.errorCode === null &&
          movedCount !== null &&
          t('moved', { count: movedCount })}
      </p>
      {usage !== null && usage.damagedCount > 0 && <SetAsideData onDeleted={measure} />}
      <LargestConversations />
    </>
  )
}
