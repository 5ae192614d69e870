import { type DeleteUnreferencedOptions, deleteUnreferenced } from '../storage/delete-unreferenced'
import type { ImageTable } from './image-table'
import { isStoredImageUrl } from './stored-image'

interface DeleteUnreferencedImagesOptions extends Omit<DeleteUnreferencedOptions, 'files' | 'isOurs'> {
  images: Pick<ImageTable, 'urlsStoredBefore' | 'delete'>
}

/** Deletes the pictures of deleted conversations, of those that we stored ourselves. @returns how many */
export function deleteUnreferencedImages(options: DeleteUnreferencedImagesOptions): Promise<number> {
  const { images, ...rest } = options
  return deleteUnreferenced({ ...rest, files: images, isOurs: isStoredImageUrl })
}
