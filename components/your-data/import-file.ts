import { archive, historyStore } from '@/lib/local/archive/history-store'
import { conversations } from '@/lib/local/conversations/conversations'
import { creditIdStore } from '@/lib/local/credit-id'
import { openDocumentTable } from '@/lib/local/documents/document-table'
import { openImageTable } from '@/lib/local/images/image-store'
import { settingsStore } from '@/lib/local/settings/settings-store'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import type { ImportResult } from '@/lib/local/transfer/import-data'

/** Merges a file into this browser's data; null when the file is not one of ours. */
export async function importFile(file: File): Promise<ImportResult | null> {
  const { IMPORT_BYTES_MAX, readExport } = await import('@/lib/local/transfer/read-export')
  const { importData } = await import('@/lib/local/transfer/import-data')
  const read = file.size <= IMPORT_BYTES_MAX ? readExport(await file.text()) : null
  if (!read) return null
  const result = await importData({
    file: read,
    storage: guardedStorage,
    repository: conversations,
    archive,
    openImages: openImageTable,
    openDocuments: openDocumentTable,
  })
  settingsStore.refresh()
  creditIdStore.refresh()
  await historyStore.load()
  return result
}
