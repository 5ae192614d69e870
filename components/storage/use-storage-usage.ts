import { useEffect, useState } from 'react'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import { measureUsage, type StorageUsage } from '@/lib/local/storage/storage-usage'

/** How full local storage is, measured anew whenever the conversations change. Null before the first look. */
export function useStorageUsage(): StorageUsage | null {
  const [usage, setUsage] = useState<StorageUsage | null>(null)
  useEffect(() => {
    const measure = () => setUsage(measureUsage(guardedStorage))
    measure()
    return conversationStore.subscribe(() => queueMicrotask(measure))
  }, [])
  return usage
}
