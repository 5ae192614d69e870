'use client'

import { useEffect, useState } from 'react'
import { PlainNotice } from '@/components/notice/plain-notice'
import { lazyPart } from '@/components/ui/lazy-part'
import { useStore } from '@/components/ui/use-store'
import { skipMigrations } from '@/lib/local/migrations/skip-migrations'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import { setAsideStore } from '@/lib/local/storage/set-aside'
import { storageFullStore } from '@/lib/local/storage/storage-full-store'
import { CONVERSATION_HISTORY_KEY } from '@/lib/local/storage/storage-keys'
import { conversationDataStore } from './conversation-data'

const StorageProvider = lazyPart(
  async () => (await import('@/components/storage/storage-provider')).StorageProvider,
)
const Notice = lazyPart(async () => (await import('@/components/notice/notice')).Notice)

/**
 * Loads the code that looks after the browser's data once there is need of it: conversations or pictures, a store that
 * could not be read, or a full storage.
 */
export function BrowserData() {
  const hasData = useStore(conversationDataStore)
  const storageFull = useStore(storageFullStore)
  const setAsideCount = useStore(setAsideStore).length
  const notice = useStore(noticeStore)
  const [hasNotice, setHasNotice] = useState(false)

  useEffect(() => {
    const { search } = window.location
    if (search.includes('utm_')) import('@/lib/local/utm').then(({ collectUtm }) => collectUtm(search))
    // If the browser refuses access, the migrations run and report what is wrong.
    skipMigrations()
      .catch(() => false)
      .then(isSkipped => isSkipped || conversationDataStore.set(true))
    // The first conversation may be started in another tab.
    return guardedStorage.subscribe(key => {
      if (key === CONVERSATION_HISTORY_KEY) conversationDataStore.set(true)
      // Another tab deleted everything: clear this tab's storage, such as drafts, and reload to clear its memory.
      if (key === null) {
        window.sessionStorage.clear()
        window.location.reload()
      }
    })
  }, [])
  // Rendered from the first notice on, so that the live region stays and later notices are announced.
  if (!notice.hidden && !hasNotice) setHasNotice(true)

  const needsStorage = hasData || storageFull === 'open' || setAsideCount > 0
  return (
    <>
      {needsStorage && <StorageProvider />}
      {hasNotice && <Notice errorFallback={<PlainNotice />} />}
    </>
  )
}
