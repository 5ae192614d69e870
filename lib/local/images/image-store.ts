import type { Dexie, IndexableType, Table } from 'dexie'
import { fieldsOf } from '@/lib/http/domain/is-object'
import { openArchiveDatabase } from '../archive/archive-database'
import { addObjectStore } from '../database/add-object-store'
import { databaseExists } from '../database/database-exists'
import {
  archiveExists,
  IMAGE_DATABASE_NAME,
  imageDatabaseExists,
  MOVING_IMAGE_DATABASE_NAME,
} from '../database/database-names'
import { deleteDatabase } from '../database/delete-database'
import { type DatabaseSchema, openBrowserDatabase } from '../database/open-database'
import { openedOnce } from '../database/opened-once'
import { isQuotaExceeded } from '../storage/is-quota-exceeded'
import { withLock } from '../storage/locks'
import { createImageTable, type ImageTable } from './image-table'
import { isPlaceholder } from './placeholder'
import { dataUrlOf, parseStoredImage, STORED_IMAGE_PREFIX, type StoredImage } from './stored-image'

const LOCK_NAME = 'tuppence-images'
const TABLE_NAME = 'image_urls'
const KEY_PATH = 'image_url.url'
const DATE_PATH = 'image_url.created_at'
/** Dexie multiplies by ten: on disk this is the specification's version 1. */
const SCHEMA: DatabaseSchema = { version: 0.1, tables: { [TABLE_NAME]: `${KEY_PATH}, ${DATE_PATH}` } }
/** In Dexie's count, the version that earlier builds created: 10 on disk, where requesting version 1 fails. */
const EARLIER_VERSION = 1

/**
 * Opens the image store. An existing one is opened with the schema it has, whoever created it; only a missing table is
 * added. One created by an earlier build is first converted to version 1: since a database cannot be downgraded, its
 * pictures are moved to another one while it is created anew. If this is interrupted at any point, each picture is in
 * at least one of them, and the next call continues.
 */
export function openImageTable(): Promise<ImageTable> {
  return withLock(LOCK_NAME, async () => {
    await moveOut()
    const table = createImageTable(await openAsItIs())
    await moveBack(table)
    return table
  })
}

async function openAsItIs(): Promise<Table<unknown, IndexableType>> {
  const exists = await databaseExists(IMAGE_DATABASE_NAME)
  const database = await openBrowserDatabase(IMAGE_DATABASE_NAME, exists ? null : SCHEMA)
  const table = database.tables.find(({ name }) => name === TABLE_NAME)
  if (table) return table
  database.close()
  await addObjectStore(IMAGE_DATABASE_NAME, TABLE_NAME, KEY_PATH, DATE_PATH)
  return openAsItIs()
}

async function moveOut(): Promise<void> {
  if (!(await databaseExists(IMAGE_DATABASE_NAME))) return
  const existing = await openBrowserDatabase(IMAGE_DATABASE_NAME, null)
  try {
    if (!isOfEarlierBuild(existing) || !(await isCopied(existing.table(TABLE_NAME)))) return
  } finally {
    existing.close()
  }
  await deleteDatabase(IMAGE_DATABASE_NAME)
}

function isOfEarlierBuild({ verno, tables: [table, other] }: Dexie): boolean {
  if (verno !== EARLIER_VERSION || table?.name !== TABLE_NAME || other) return false
  const { primKey, indexes } = table.schema
  return primKey.keyPath === KEY_PATH && indexes.every(({ keyPath }) => keyPath === DATE_PATH)
}

/** False if there is no room for the pictures twice; then they stay where they are for now. */
async function isCopied(images: Table<unknown, IndexableType>): Promise<boolean> {
  const isGoingOn = await databaseExists(MOVING_IMAGE_DATABASE_NAME)
  const moving = await openBrowserDatabase(MOVING_IMAGE_DATABASE_NAME, SCHEMA)
  try {
    // One by one, so that only one picture is in memory.
    for (const key of await images.toCollection().primaryKeys()) {
      const record = await images.get(key)
      if (record !== undefined) await moving.table(TABLE_NAME).put(record)
    }
    return true
  } catch (error) {
    if (!isQuotaExceeded(error)) throw error
    // What an earlier attempt has moved there may be nowhere else.
    if (!isGoingOn) await moving.delete()
    return false
  } finally {
    moving.close()
  }
}

async function moveBack(table: ImageTable): Promise<void> {
  if (!(await databaseExists(MOVING_IMAGE_DATABASE_NAME))) return
  const moving = await openBrowserDatabase(MOVING_IMAGE_DATABASE_NAME, SCHEMA)
  for (const key of await moving.table(TABLE_NAME).toCollection().primaryKeys()) {
    const record: unknown = await moving.table(TABLE_NAME).get(key)
    const image = parseStoredImage(record, key)
    if (!image || (await table.get(image.image_url.url))) continue
    await table.save({ ...fieldsOf(record), ...image })
  }
  moving.close()
  await deleteDatabase(MOVING_IMAGE_DATABASE_NAME)
}

const open = openedOnce(openImageTable)
const openArchive = openedOnce(openArchiveDatabase)

/** The clean-up of the second migration moved some images there. */
async function archivedImage(url: string): Promise<StoredImage | null> {
  if (!(await archiveExists())) return null
  return (await (await openArchive()).images.get(url)) ?? null
}

/** Images stored outside of local storage. A conversation's part contains the address returned by `save`. */
export const imageStore = {
  /** @returns the address to put into the part, `image-store:<id>` */
  async save(id: string, base64OrDataUrl: string, now: Date): Promise<string> {
    const url = `${STORED_IMAGE_PREFIX}${id}`
    const table = await open()
    await table.save({ image_url: { url, created_at: now.toISOString() }, base64_json: base64OrDataUrl })
    return url
  },

  /** The image as a data address, to be shown or sent; null if it is not (or no longer) here. */
  async resolve(url: string): Promise<string | null> {
    const table = await imageStore.table()
    const image = table ? await table.get(url) : null
    const isHere = image !== null && !isPlaceholder(image)
    const found = isHere ? image : ((await archivedImage(url)) ?? image)
    return found ? dataUrlOf(found) : null
  },

  /** Null if no image was ever stored here. */
  async table(): Promise<ImageTable | null> {
    return (await imageDatabaseExists()) ? open() : null
  },
}
