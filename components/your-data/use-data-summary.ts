import { useEffect, useState, useSyncExternalStore } from 'react'
import { historyStore } from '@/lib/local/archive/history-store'
import { creditIdFirstSegment, creditIdStore } from '@/lib/local/credit-id'
import { imageStore } from '@/lib/local/images/image-store'

export interface DataSummary {
  conversationCount: number
  archivedCount: number
  /** Null until they have been counted. */
  images: { count: number; bytes: number } | null
  /** The first segment of the credit_id; null without a credit. */
  creditSegment: string | null
}

/** What this browser keeps for us, beside how full local storage is. */
export function useDataSummary(): DataSummary {
  const [images, setImages] = useState<DataSummary['images']>(null)
  const entries = useSyncExternalStore(
    historyStore.subscribe,
    historyStore.getSnapshot,
    historyStore.getServerSnapshot,
  )
  const creditId = useSyncExternalStore(
    creditIdStore.subscribe,
    creditIdStore.getSnapshot,
    creditIdStore.getServerSnapshot,
  )
  useEffect(() => {
    historyStore.load().catch(reportError)
    countImages().then(setImages, reportError)
  }, [])
  const archivedCount = entries.filter(entry => entry.isArchived).length
  return {
    conversationCount: entries.length - archivedCount,
    archivedCount,
    images,
    creditSegment: creditId ? creditIdFirstSegment(creditId) : null,
  }
}

async function countImages(): Promise<{ count: number; bytes: number }> {
  const entries = (await (await imageStore.table())?.entries()) ?? []
  return { count: entries.length, bytes: entries.reduce((sum, entry) => sum + entry.size, 0) }
}
