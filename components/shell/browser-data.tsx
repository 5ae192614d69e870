'use client'

import { lazy, Suspense, useEffect, useState, useSyncExternalStore } from 'react'
import { usePathname } from '@/lib/i18n/navigation'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { storageFullStore } from '@/lib/local/storage/storage-full-store'
import { collectUtm } from '@/lib/local/utm'
import { flowOfPath } from '@/lib/telemetry/flow'
import { hasConversationData } from './has-conversation-data'

const StorageProvider = lazy(async () => ({
  default: (await import('@/components/storage/storage-provider')).StorageProvider,
}))
const Notice = lazy(async () => ({ default: (await import('@/components/notice/notice')).Notice }))

/**
 * What looks after the browser's data, loaded where there is something to look after: in the flows that
 * use it, and on any page of a browser that has conversations or has just run out of room.
 */
export function BrowserData() {
  const flow = flowOfPath(usePathname())
  const [hasData, setHasData] = useState(false)
  const storageFull = useSyncExternalStore(
    storageFullStore.subscribe,
    storageFullStore.getSnapshot,
    storageFullStore.getServerSnapshot,
  )
  const notice = useSyncExternalStore(
    noticeStore.subscribe,
    noticeStore.getSnapshot,
    noticeStore.getServerSnapshot,
  )
  const [hasNotice, setHasNotice] = useState(false)

  useEffect(() => {
    collectUtm(window.location.search)
    setHasData(hasConversationData(localStorage))
  }, [])
  useEffect(() => {
    // From the first notice on, so that its region stays and later changes are announced.
    if (!notice.hidden) setHasNotice(true)
  }, [notice.hidden])

  const needsStorage = (flow !== null && flow !== 'pricing') || hasData || storageFull === 'open'
  return (
    <Suspense>
      {needsStorage && <StorageProvider />}
      {hasNotice && <Notice />}
    </Suspense>
  )
}
