'use client'

import { useTranslations } from 'next-intl'
import { useCallback, useEffect } from 'react'
import { historyStore } from '@/lib/local/archive/history-store'
import { keepTidy } from '@/lib/local/archive/keep-tidy'
import { areConversationsTooLarge } from '@/lib/local/conversations/is-too-large'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { startDocumentCleanUp, startImageCleanUp } from '@/lib/local/start-clean-up'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import { setAsideCountStore } from '@/lib/local/storage/set-aside'
import { writeFailureCountStore } from '@/lib/local/storage/write-failures'
import { MigrationGate } from './migration-gate'
import { StorageFullDialog } from './storage-full-dialog'

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

  useEffect(() => writeFailureCountStore.subscribe(() => noticeStore.show('error', t('notKept'))), [t])

  return (
    <>
      <MigrationGate />
      <StorageFullDialog />
    </>
  )
}

/** Long after the page has become usable; nobody waits for it. */
const FILE_CLEAN_UP_DELAY_MS = 30_000

/** Moves conversations to the archive when they have become too large, and forgets orphaned pictures and documents. */
function useTidy(onMoved: (count: number) => void): void {
  useEffect(() => {
    const timer = setTimeout(() => {
      startImageCleanUp().catch(reportError)
      startDocumentCleanUp().catch(reportError)
    }, FILE_CLEAN_UP_DELAY_MS)
    return () => clearTimeout(timer)
  }, [])

  useEffect(
    () =>
      keepTidy({
        history: historyStore,
        areConversationsTooLarge: () => areConversationsTooLarge(guardedStorage),
        onMoved,
        onError: reportError,
      }),
    [onMoved],
  )
}
