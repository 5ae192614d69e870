'use client'

import { useEffect, useState } from 'react'
import { PlainNotice } from '@/components/notice/plain-notice'
import { arriving } from '@/components/ui/arriving'
import { useStore } from '@/components/ui/use-store'
import { skipMigrations } from '@/lib/local/migrations/skip-migrations'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import { setAsideCountStore } from '@/lib/local/storage/set-aside'
import { storageFullStore } from '@/lib/local/storage/storage-full-store'
import { CONVERSATION_HISTORY_KEY } from '@/lib/local/storage/storage-keys'
import { conversationDataStore } from './conversation-data'

const StorageProvider = arriving(
  async () => (await import('@/components/storage/storage-provider')).StorageProvider,
)
const Notice = arriving(async () => (await import('@/components/notice/notice')).Notice)

/**
 * What looks after the browser's data, loaded once there is something to look after: conversations or
 * pictures, a store that could not be read, or no room left.
 */
export function BrowserData() {
  const hasData = useStore(conversationDataStore)
  const storageFull = useStore(storageFullStore)
  const setAsideCount = useStore(setAsideCountStore)
  const notice = useStore(noticeStore)
  const [hasNotice, setHasNotice] = useState(false)

  useEffect(() => {
    const { search } = window.location
    if (search.includes('utm_')) import('@/lib/local/utm').then(({ collectUtm }) => collectUtm(search))
    // Where the browser does not let us look, the migrations find out, and tell what is wrong.
    skipMigrations()
      .catch(() => false)
      .then(isSkipped => isSkipped || conversationDataStore.set(true))
    // The first conversation may begin in another tab.
    return guardedStorage.subscribe(key => {
      if (key === CONVERSATION_HISTORY_KEY) conversationDataStore.set(true)
      // Everything was deleted there: what is kept for this tab, drafts above all, and held in memory goes, too.
      if (key === null) {
        window.sessionStorage.clear()
        window.location.reload()
      }
    })
  }, [])
  useEffect(() => {
    // From the first notice on, so that its region stays and later changes are announced.
    if (!notice.hidden) setHasNotice(true)
  }, [notice.hidden])

  const needsStorage = hasData || storageFull === 'open' || setAsideCount > 0
  return (
    <>
      {needsStorage && <StorageProvider />}
      {hasNotice && <Notice otherwise={<PlainNotice />} />}
    </>
  )
}
