import { useEffect, useState } from 'react'
import { useStore } from '@/components/ui/use-store'
import { historyStore } from '@/lib/local/archive/history-store'
import { creditIdFirstSegment, creditIdStore } from '@/lib/local/credit-id'
import { documentStore } from '@/lib/local/documents/document-store'
import { imageStore } from '@/lib/local/images/image-store'

interface Counted {
  count: number
  bytes: number
}

interface DataSummary {
  conversationCount: number
  archivedCount: number
  /** Null until they have been counted. */
  images: Counted | null
  documents: Counted | null
  /** The first segment of the credit_id; null without a credit. */
  creditSegment: string | null
}

/** What this browser stores for us, apart from how full local storage is; counted again after each import. */
export function useDataSummary(importCount: number): DataSummary {
  const [images, setImages] = useState<DataSummary['images']>(null)
  const [documents, setDocuments] = useState<DataSummary['documents']>(null)
  const entries = useStore(historyStore)
  const creditId = useStore(creditIdStore)
  useEffect(() => {
    historyStore.load().catch(reportError)
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: an import changes what is counted
  useEffect(() => {
    countImages().then(setImages, reportError)
    countDocuments().then(setDocuments, reportError)
  }, [importCount])
  const archivedCount = entries.filter(entry => entry.isArchived).length
  return {
    conversationCount: entries.length - archivedCount,
    archivedCount,
    images,
    documents,
    creditSegment: creditId ? creditIdFirstSegment(creditId) : null,
  }
}

async function countDocuments(): Promise<Counted> {
  return (await (await documentStore.table())?.sizes()) ?? { count: 0, bytes: 0 }
}

async function countImages(): Promise<Counted> {
  const entries = (await (await imageStore.table())?.entries()) ?? []
  return { count: entries.length, bytes: entries.reduce((sum, entry) => sum + entry.size, 0) }
}
