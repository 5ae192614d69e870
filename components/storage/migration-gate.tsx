'use client'

import { useTranslations } from 'next-intl'
import { useCallback, useEffect, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { useStore } from '@/components/ui/use-store'
import { startMigrations } from '@/lib/local/migrations/start-migrations'
import { storageFullStore } from '@/lib/local/storage/storage-full-store'
import styles from './storage-dialog.module.css'
import { useExport } from './use-export'

/**
 * Migrates the stored data. The page does not wait for it, since every store also reads the format of older versions;
 * but it reports a failure and offers a way out.
 */
export function MigrationGate() {
  const t = useTranslations('storage')
  const common = useTranslations('common')
  const { state, retry } = useMigrations()
  const storageFull = useStore(storageFullStore)
  const [isDismissed, setDismissed] = useState(false)
  const exporting = useExport()
  return (
    <Dialog
      // The warning about a full storage comes first: it says how to make room, after which a retry can succeed.
      open={state === 'failed' && !isDismissed && storageFull === 'closed'}
      onClose={() => setDismissed(true)}
      title={t('migrationTitle')}
    >
      <p className={styles.lead}>{t('migrationLead')}</p>
      {exporting.outcome && <p role="alert">{exporting.outcome}</p>}
      <div className={styles.actions}>
        <Button onClick={retry}>{common('retry')}</Button>
        <Button variant="quiet" loading={exporting.busy} onClick={() => exporting.start()}>
          {t('export')}
        </Button>
      </div>
    </Dialog>
  )
}

type MigrationState = 'running' | 'done' | 'failed'

/** Runs the migrations when the page starts, and again on request. They log their own failures. */
function useMigrations(): { state: MigrationState; retry: () => void } {
  const [state, setState] = useState<MigrationState>('running')
  const run = useCallback(() => {
    setState('running')
    startMigrations().then(
      () => setState('done'),
      () => setState('failed'),
    )
  }, [])
  useEffect(run, [run])
  return { state, retry: run }
}
