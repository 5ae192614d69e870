import { saveFile, timeInName } from '@/components/ui/save-file'
import { ApiCallError } from '@/lib/http/client/call-api'
import { archive } from '@/lib/local/archive/history-store'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { archiveExists } from '@/lib/local/database/database-names'
import { documentStore } from '@/lib/local/documents/document-store'
import { imageStore } from '@/lib/local/images/image-store'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'

/** Downloads everything that this browser stores for us, as JSON. @returns in how many files @throws ApiCallError */
export async function downloadExport(includeCredit: boolean): Promise<number> {
  const { exportData } = await import('@/lib/local/transfer/export-data').catch(() => {
    throw new ApiCallError('part_missing')
  })
  const now = new Date()
  const files = await exportData({
    storage: guardedStorage,
    conversations: conversationStore.getSnapshot(),
    archive: (await archiveExists()) ? archive : null,
    images: await imageStore.table(),
    documents: await documentStore.table(),
    includeCredit,
    now,
  })
  const day = timeInName(now).slice(0, 10)
  for (const [index, file] of files.entries()) {
    const part = files.length > 1 ? `-${index + 1}-of-${files.length}` : ''
    saveFile(file, `tuppence-${day}${part}.json`)
  }
  return files.length
}
