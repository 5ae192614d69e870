import type { Conversation } from '@/lib/chat/domain/conversation'
import type { GuardedStorage } from '../storage/guarded-storage'
import type { ImageTable } from './image-table'
import { isStoredImageUrl } from './stored-image'

/** An image is stored before the message that shows it; a day later that has long been sent. */
const AGE_MIN_MS = 86_400_000

interface DeleteUnreferencedOptions {
  images: Pick<ImageTable, 'urlsStoredBefore' | 'delete'>
  storage: Pick<GuardedStorage, 'keys' | 'read'>
  forEachArchived: (visit: (conversation: Conversation) => void) => Promise<void>
  now: Date
}

/**
 * Deletes the pictures of deleted conversations. Only pictures that we stored ourselves, and only those
 * whose address occurs nowhere: no conversation, archived one, draft or set-aside store.
 * @returns how many were deleted
 */
export async function deleteUnreferencedImages(options: DeleteUnreferencedOptions): Promise<number> {
  const { images, storage, forEachArchived, now } = options
  const stored = await images.urlsStoredBefore(new Date(now.getTime() - AGE_MIN_MS))
  const unreferenced = new Set(stored.filter(isStoredImageUrl))
  const keepThoseIn = (text: string): void => {
    for (const url of unreferenced) if (text.includes(url)) unreferenced.delete(url)
  }
  for (const key of storage.keys()) keepThoseIn(storage.read(key) ?? '')
  if (unreferenced.size > 0) await forEachArchived(conversation => keepThoseIn(JSON.stringify(conversation)))
  if (unreferenced.size > 0) await images.delete([...unreferenced])
  return unreferenced.size
}
