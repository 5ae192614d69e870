'use client'

import { lazy, Suspense, useEffect, useState } from 'react'
import { useStore } from '@/components/ui/use-store'
import { skipMigrations } from '@/lib/local/migrations/skip-migrations'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { setAsideCountStore } from '@/lib/local/storage/set-aside'
import { storageFullStore } from '@/lib/local/storage/storage-full-store'
import { conversationDataStore } from './conversation-data'

const StorageProvider = lazy(async () => ({
  default: (await import('@/components/storage/storage-provider')).StorageProvider,
}))
const Notice = lazy(async () => ({ default: (await import('@/components/notice/notice')).Notice }))

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
  }, [])
  useEffect(() => {
    // From the first notice on, so that its region stays and later changes are announced.
    if (!notice.hidden) setHasNotice(true)
  }, [notice.hidden])

  const needsStorage = hasData || storageFull === 'open' || setAsideCount > 0
  return (
    <Suspense>
      {needsStorage && <StorageProvider />}
      {hasNotice && <Notice />}
    </Suspense>
  )
}
