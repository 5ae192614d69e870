import { ARCHIVE_DATABASE_NAME, openArchiveDatabase } from '../archive/archive-database'
import { addObjectStore } from '../database/add-object-store'
import { databaseExists } from '../database/database-exists'
import { openBrowserDatabase } from '../database/open-database'
import { openedOnce } from '../database/opened-once'
import { IMAGE_DATABASE_NAME } from './image-database-name'
import { createImageTable, type ImageTable } from './image-table'
import { isPlaceholder } from './placeholder'
import { dataUrlOf, STORED_IMAGE_PREFIX, type StoredImage } from './stored-image'

/** The specification's names. */
const IMAGE_DATABASE_VERSION = 1
const IMAGE_TABLE_NAME = 'image_urls'
const IMAGE_KEY_PATH = 'image_url.url'
const IMAGE_DATE_PATH = 'image_url.created_at'

/**
 * Opens the image store. One that exists is opened with the schema that it has, whoever made it; only
 * when it lacks the table is that added.
 */
export async function openImageTable(): Promise<ImageTable> {
  if (!(await databaseExists(IMAGE_DATABASE_NAME))) {
    const database = await openBrowserDatabase(IMAGE_DATABASE_NAME, {
      version: IMAGE_DATABASE_VERSION,
      tables: { [IMAGE_TABLE_NAME]: `${IMAGE_KEY_PATH}, ${IMAGE_DATE_PATH}` },
    })
    return createImageTable(database.table(IMAGE_TABLE_NAME))
  }
  const existing = await openBrowserDatabase(IMAGE_DATABASE_NAME, null)
  const table = existing.tables.find(candidate => candidate.name === IMAGE_TABLE_NAME)
  if (table) return createImageTable(table)
  existing.close()
  await addObjectStore(IMAGE_DATABASE_NAME, IMAGE_TABLE_NAME, IMAGE_KEY_PATH, IMAGE_DATE_PATH)
  return openImageTable()
}

const open = openedOnce(openImageTable)
const openArchive = openedOnce(openArchiveDatabase)

/** The clean-up of the second migration moved some images there. */
async function archivedImage(url: string): Promise<StoredImage | null> {
  if (!(await databaseExists(ARCHIVE_DATABASE_NAME))) return null
  return (await (await openArchive()).images.get(url)) ?? null
}

/** Images kept outside of local storage. A conversation's part holds the address that `save` gives. */
export const imageStore = {
  /** @returns the address to put into the part, `image-store:<id>` */
  async save(id: string, base64OrDataUrl: string, now: Date): Promise<string> {
    const url = `${STORED_IMAGE_PREFIX}${id}`
    const table = await open()
    await table.save({ image_url: { url, created_at: now.toISOString() }, base64_json: base64OrDataUrl })
    return url
  },

  /** The image as a data address, to be shown or sent; null when it is not (or no longer) here. */
  async resolve(url: string): Promise<string | null> {
    const table = await imageStore.table()
    const image = table ? await table.get(url) : null
    const isHere = image !== null && !isPlaceholder(image)
    const found = isHere ? image : ((await archivedImage(url)) ?? image)
    return found ? dataUrlOf(found) : null
  },

  async delete(url: string): Promise<void> {
    const table = await open()
    const keys = (await table.entries()).filter(entry => entry.url === url).map(entry => entry.key)
    await table.delete(keys)
  },

  /** Null when no image was ever stored here. */
  async table(): Promise<ImageTable | null> {
    return (await databaseExists(IMAGE_DATABASE_NAME)) ? open() : null
  },
}
