'use client'

import { useTranslations } from 'next-intl'
import { useCallback, useEffect } from 'react'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { setAsideCountStore } from '@/lib/local/storage/set-aside'
import { MigrationGate } from './migration-gate'
import { StorageFullDialog } from './storage-full-dialog'
import { useTidy } from './use-tidy'

/** The browser's data on every page: migrations, warnings, clean-up. Stands once, in the layout. */
export function StorageProvider() {
  const t = useTranslations('storage')
  useTidy(useCallback((count: number) => noticeStore.show('info', t('moved', { count })), [t]))

  useEffect(() => {
    const tellSetAside = () => {
      if (setAsideCountStore.getSnapshot() > 0) noticeStore.show('warning', t('setAside'))
    }
    tellSetAside()
    return setAsideCountStore.subscribe(tellSetAside)
  }, [t])

  return (
    <>
      <MigrationGate />
      <StorageFullDialog />
    </>
  )
}
