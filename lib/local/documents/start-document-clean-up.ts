import { archive, archiveExists } from '../archive/history-store'
import { deleteUnreferenced } from '../storage/delete-unreferenced'
import { guardedStorage } from '../storage/guarded-storage'
import { documentStore } from './document-store'
import { isStoredDocumentUrl } from './stored-document'

/** Looks once for documents of deleted conversations; a browser without documents does nothing at all. */
export async function startDocumentCleanUp(): Promise<void> {
  const documents = await documentStore.table()
  if (!documents) return
  const hasArchive = await archiveExists()
  await deleteUnreferenced({
    files: documents,
    isOurs: isStoredDocumentUrl,
    storage: guardedStorage,
    forEachArchived: async visit => (hasArchive ? archive.forEach(visit) : undefined),
    now: new Date(),
  })
}
