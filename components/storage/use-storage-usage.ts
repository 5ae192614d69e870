import { useCallback, useEffect, useState } from 'react'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import { measureUsage, type StorageUsage } from '@/lib/local/storage/storage-usage'

/** How full local storage is, measured anew whenever the conversations change. Null before the first look. */
export function useStorageUsage(): { usage: StorageUsage | null; measure: () => void } {
  const [usage, setUsage] = useState<StorageUsage | null>(null)
  const measure = useCallback(() => setUsage(measureUsage(guardedStorage)), [])
  useEffect(() => {
    measure()
    return conversationStore.subscribe(() => queueMicrotask(measure))
  }, [measure])
  return { usage, measure }
}
