'use client'

import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { useRequest } from '@/components/account/use-request'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { useStore } from '@/components/ui/use-store'
import { storageFullStore } from '@/lib/local/storage/storage-full-store'
import { downloadExport } from './download-export'
import styles from './storage-dialog.module.css'
import { useMigrations } from './use-migrations'

/**
 * Brings the stored data up to date. The page does not wait for it, since every store also reads what an
 * older version wrote; but a failure is told, with a way out.
 */
export function MigrationGate() {
  const t = useTranslations('storage')
  const { state, retry } = useMigrations()
  const storageFull = useStore(storageFullStore)
  const [isDismissed, setDismissed] = useState(false)
  const exporting = useRequest()
  return (
    <Dialog
      // A full storage comes first: its own warning says how to make room, then this one can try again.
      open={state === 'failed' && !isDismissed && storageFull === 'closed'}
      onClose={() => setDismissed(true)}
      title={t('migrationTitle')}
    >
      <p className={styles.lead}>{t('migrationLead')}</p>
      {exporting.errorCode !== null && <p role="alert">{t('exportFailed')}</p>}
      <div className={styles.actions}>
        <Button onClick={retry}>{t('retry')}</Button>
        <Button
          variant="quiet"
          loading={exporting.busy}
          onClick={() => void exporting.run(() => downloadExport(false))}
        >
          {t('export')}
        </Button>
      </div>
    </Dialog>
  )
}
