import type { IndexableType } from 'dexie'
import type { ArchivedImage } from '../archive/archive-database'
import type { ImageTable } from '../images/image-table'
import { isPlaceholder, PLACEHOLDER_BASE64, PLACEHOLDER_DATA_URL } from '../images/placeholder'
import type { MigrationImages } from './migrations'

/** The archive's table of images, as far as it is needed. */
interface ImageArchive {
  put(image: ArchivedImage): PromiseLike<unknown>
}

/**
 * The image store as the clean-up sees it. What the clean-up removes is first copied to the archive: the specification
 * drops these images, but we only move them.
 */
export function createMigrationImages(
  table: ImageTable,
  openArchive: () => Promise<ImageArchive>,
): MigrationImages<IndexableType> {
  async function archiveImage(key: IndexableType): Promise<string> {
    const image = await table.getByKey(key)
    if (!image) return ''
    const { url } = image.image_url
    // A placeholder left by an interrupted run must not replace the archived picture.
    if (!isPlaceholder(image)) await (await openArchive()).put({ ...image, url })
    return image.base64_json
  }

  return {
    entries: table.entries,
    async replaceByPlaceholder(key) {
      const original = await archiveImage(key)
      const isDataUrl = original.startsWith('data:')
      await table.replaceBytes(key, isDataUrl ? PLACEHOLDER_DATA_URL : PLACEHOLDER_BASE64)
    },
    async delete(keys) {
      for (const key of keys) await archiveImage(key)
      await table.delete(keys)
    },
  }
}
