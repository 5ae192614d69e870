'use client'

import { useTranslations } from 'next-intl'
import { useCallback, useEffect, useState } from 'react'
import { Dialog } from '@/components/ui/dialog'
import { useStore } from '@/components/ui/use-store'
import { historyStore } from '@/lib/local/archive/history-store'
import { keepTidy } from '@/lib/local/archive/keep-tidy'
import { areConversationsTooLarge } from '@/lib/local/conversations/is-too-large'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { startDocumentCleanUp, startImageCleanUp } from '@/lib/local/start-clean-up'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import { setAsideStore } from '@/lib/local/storage/set-aside'
import { storageFullStore } from '@/lib/local/storage/storage-full-store'
import { CREDIT_ID_KEY } from '@/lib/local/storage/storage-keys'
import { writeFailureCountStore } from '@/lib/local/storage/write-failures'
import { MakeRoom } from './make-room'
import { MigrationGate } from './migration-gate'
import { StorageFullDialog } from './storage-full-dialog'
import { useNearlyFullWarning } from './use-nearly-full-warning'

/** Looks after the browser's data on every page: migrations, warnings, clean-up. Rendered once, in the layout. */
export function StorageProvider() {
  const t = useTranslations('storage')
  const storageFull = useStore(storageFullStore)
  const [isMakingRoom, setMakingRoom] = useState(false)
  const onMoved = useCallback((count: number) => noticeStore.show('info', t('moved', { count })), [t])
  const openMakeRoom = useCallback(() => {
    noticeStore.hide()
    setMakingRoom(true)
  }, [])
  const closeMakeRoom = () => setMakingRoom(false)
  useTidy(onMoved, useNearlyFullWarning(openMakeRoom))

  useEffect(() => {
    const reportSetAside = () => {
      const key = setAsideStore.getSnapshot().at(-1)
      if (key === CREDIT_ID_KEY) noticeStore.show('warning', t('creditSetAside'))
      else if (key !== undefined) noticeStore.show('warning', t('setAside'))
    }
    reportSetAside()
    return setAsideStore.subscribe(reportSetAside)
  }, [t])

  useEffect(() => {
    const reportNotKept = () => {
      if (writeFailureCountStore.getSnapshot() > 0) noticeStore.show('error', t('notKept'))
    }
    // This code loads late, so a write may already have failed.
    reportNotKept()
    return writeFailureCountStore.subscribe(reportNotKept)
  }, [t])

  return (
    <>
      <MigrationGate />
      <StorageFullDialog />
      <Dialog
        open={isMakingRoom && storageFull === 'closed'}
        onClose={closeMakeRoom}
        title={t('nearlyFullTitle')}
      >
        <MakeRoom lead={t('nearlyFullLead')} onClose={closeMakeRoom} />
      </Dialog>
    </>
  )
}

/** Long after the page has become usable, since nobody waits for it. */
const FILE_CLEAN_UP_DELAY_MS = 30_000

/**
 * Archives conversations when they have become too large, and deletes orphaned pictures and documents. `onChecked` is
 * called after each check of the size. Both callbacks must be stable.
 */
function useTidy(onMoved: (count: number) => void, onChecked: () => void): void {
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
        onChecked,
        onError: reportError,
      }),
    [onMoved, onChecked],
  )
}
