import { archive, archiveExists } from '../archive/history-store'
import { guardedStorage } from '../storage/guarded-storage'
import { deleteUnreferencedImages } from './delete-unreferenced-images'
import { imageStore } from './image-store'

/** Looks once for pictures of deleted conversations; a browser without pictures does nothing at all. */
export async function startImageCleanUp(): Promise<void> {
  const images = await imageStore.table()
  if (!images) return
  const hasArchive = await archiveExists()
  await deleteUnreferencedImages({
    images,
    storage: guardedStorage,
    forEachArchived: async visit => (hasArchive ? archive.forEach(visit) : undefined),
    now: new Date(),
  })
}
