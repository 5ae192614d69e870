import { archive } from './archive/history-store'
import { archiveExists } from './database/database-names'
import { documentStore } from './documents/document-store'
import { isStoredDocumentUrl } from './documents/stored-document'
import { dropOldDraftFiles } from './draft-files'
import { imageStore } from './images/image-store'
import { isStoredImageUrl } from './images/stored-image'
import { type DeleteUnreferencedOptions, deleteUnreferenced } from './storage/delete-unreferenced'
import { guardedStorage } from './storage/guarded-storage'
import { keptInTab } from './storage/storage-area'
import { DRAFTS_KEY } from './storage/storage-keys'

/** Checks once for pictures of deleted conversations; does nothing in a browser without pictures. */
export async function startImageCleanUp(): Promise<void> {
  await cleanUp(await imageStore.table(), isStoredImageUrl)
}

/** The same for documents. */
export async function startDocumentCleanUp(): Promise<void> {
  await cleanUp(await documentStore.table(), isStoredDocumentUrl)
}

async function cleanUp(
  files: DeleteUnreferencedOptions['files'] | null,
  isOurs: DeleteUnreferencedOptions['isOurs'],
): Promise<void> {
  if (!files) return
  const hasArchive = await archiveExists()
  const now = new Date()
  dropOldDraftFiles(now)
  await deleteUnreferenced({
    files,
    isOurs,
    storage: guardedStorage,
    drafts: keptInTab(DRAFTS_KEY) ?? '',
    forEachArchived: async visit => (hasArchive ? archive.forEach(visit) : undefined),
    now,
  })
}
