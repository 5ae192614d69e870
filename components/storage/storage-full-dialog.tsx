'use client'

import { useTranslations } from 'next-intl'
import { useSyncExternalStore } from 'react'
import { Dialog } from '@/components/ui/dialog'
import { storageFullStore } from '@/lib/local/storage/storage-full-store'
import { MakeRoom } from './make-room'

/** The storage-full warning (specification, section 4): closed or open, closed on request. */
export function StorageFullDialog() {
  const t = useTranslations('storage')
  const state = useSyncExternalStore(
    storageFullStore.subscribe,
    storageFullStore.getSnapshot,
    storageFullStore.getServerSnapshot,
  )
  return (
    <Dialog open={state === 'open'} onClose={storageFullStore.close} title={t('fullTitle')}>
      <MakeRoom onClose={storageFullStore.close} />
    </Dialog>
  )
}
