'use client'

import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { downloadExport } from './download-export'
import styles from './storage-dialog.module.css'
import { useMigrations } from './use-migrations'
import { useTask } from './use-task'

/**
 * Brings the stored data up to date. The page does not wait for it, since every store also reads what an
 * older version wrote; but a failure is told, with a way out.
 */
export function MigrationGate() {
  const t = useTranslations('storage')
  const { state, retry } = useMigrations()
  const [isDismissed, setDismissed] = useState(false)
  const exporting = useTask(() => downloadExport(false))
  return (
    <Dialog
      open={state === 'failed' && !isDismissed}
      onClose={() => setDismissed(true)}
      title={t('migrationTitle')}
    >
      <p>{t('migrationLead')}</p>
      {exporting.state === 'failed' && <p role="alert">{t('exportFailed')}</p>}
      <div className={styles.actions}>
        <Button onClick={retry}>{t('retry')}</Button>
        <Button variant="quiet" loading={exporting.state === 'running'} onClick={exporting.run}>
          {t('export')}
        </Button>
      </div>
    </Dialog>
  )
}
