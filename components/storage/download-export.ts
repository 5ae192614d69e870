import { saveFile } from '@/components/ui/save-file'
import { archive } from '@/lib/local/archive/history-store'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { archiveExists } from '@/lib/local/database/database-names'
import { documentStore } from '@/lib/local/documents/document-store'
import { imageStore } from '@/lib/local/images/image-store'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'

/** Downloads everything that this browser stores for us as one JSON file. */
export async function downloadExport(includeCredit: boolean): Promise<void> {
  const { exportData } = await import('@/lib/local/transfer/export-data')
  const now = new Date()
  const file = await exportData({
    storage: guardedStorage,
    conversations: conversationStore.getSnapshot(),
    archive: (await archiveExists()) ? archive : null,
    images: await imageStore.table(),
    documents: await documentStore.table(),
    includeCredit,
    now,
  })
  saveFile(file, `tuppence-${now.toISOString().slice(0, 10)}.json`)
}
