'use client'

import { useTranslations } from 'next-intl'
import { Dialog } from '@/components/ui/dialog'
import { useStore } from '@/components/ui/use-store'
import { storageFullStore } from '@/lib/local/storage/storage-full-store'
import { MakeRoom } from './make-room'

/** As specified, it is open or closed, and closes on request. */
export function StorageFullDialog() {
  const t = useTranslations('storage')
  const state = useStore(storageFullStore)
  return (
    <Dialog open={state === 'open'} onClose={storageFullStore.close} title={t('fullTitle')}>
      <MakeRoom lead={t('fullLead')} onClose={storageFullStore.close} />
    </Dialog>
  )
}
