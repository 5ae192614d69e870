import type { IndexableType, Table } from 'dexie'
import { isObject } from '@/lib/http/domain/is-object'
import { isPlaceholder } from './placeholder'
import { parseStoredImage, recordOf, type StoredImage, withBareBase64 } from './stored-image'

/** What is known of an image, without its bytes. */
export interface ImageEntry {
  key: IndexableType
  url: string
  /** 0 if the record has no readable date; it then counts as the oldest. */
  createdMs: number
  /** In base64 characters. */
  size: number
  isPlaceholder: boolean
}

export type ImageTable = ReturnType<typeof createImageTable>

/**
 * The records of `image_urls`. The specification names their fields but not their primary key, so a store created by
 * another version is used with whatever key it has.
 */
export function createImageTable(table: Table<unknown, IndexableType>) {
  const { keyPath, auto } = table.schema.primKey
  const keyStandsApart = !keyPath

  async function find(url: string): Promise<{ key: IndexableType; image: StoredImage } | null> {
    if (keyPath === 'image_url.url') {
      const image = parseStoredImage(await table.get(url))
      return image && { key: url, image }
    }
    const entry = (await entries()).find(candidate => candidate.url === url)
    const image = entry ? parseStoredImage(await table.get(entry.key), entry.key) : null
    return entry && image ? { key: entry.key, image } : null
  }

  /** Newest first; reads the records one by one, so that only one image is in memory. */
  async function entries(): Promise<ImageEntry[]> {
    const found: ImageEntry[] = []
    await table.toCollection().each((record, cursor) => {
      const image = parseStoredImage(record, cursor.primaryKey)
      if (!image) return
      found.push({
        key: cursor.primaryKey,
        url: image.image_url.url,
        createdMs: Date.parse(image.image_url.created_at) || 0,
        size: image.base64_json.length,
        isPlaceholder: isPlaceholder(image),
      })
    })
    return found.sort((left, right) => right.createdMs - left.createdMs)
  }

  /** The addresses of images stored before that time, without reading the images; none for another version's store. */
  async function urlsStoredBefore(time: Date): Promise<string[]> {
    const isOurs = keyPath === 'image_url.url' && 'image_url.created_at' in table.schema.idxByName
    if (!isOurs) return []
    const keys = await table.where('image_url.created_at').below(time.toISOString()).primaryKeys()
    return keys.filter(key => typeof key === 'string')
  }

  return {
    entries,
    urlsStoredBefore,
    get: async (url: string): Promise<StoredImage | null> => (await find(url))?.image ?? null,
    getByKey: async (key: IndexableType): Promise<StoredImage | null> =>
      parseStoredImage(await table.get(key), key),

    async save(given: StoredImage): Promise<void> {
      const image = withBareBase64(given)
      const existing = keyPath === 'image_url.url' ? null : await find(image.image_url.url)
      if (existing) return replaceBytes(existing.key, image.base64_json, image.media_type)
      if (keyStandsApart) await (auto ? table.put(image) : table.put(image, image.image_url.url))
      else await table.put(auto ? image : recordOf(image, [keyPath].flat()))
    },
    replaceBytes,
    delete: (keys: readonly IndexableType[]): Promise<void> => table.bulkDelete([...keys]),
  }

  /** The record's other fields stay as they are. */
  async function replaceBytes(key: IndexableType, base64_json: string, media_type?: string): Promise<void> {
    const record = await table.get(key)
    if (!isObject(record)) return
    const { media_type: _, ...rest } = record
    const changed = { ...rest, base64_json, ...(media_type === undefined ? {} : { media_type }) }
    await (keyStandsApart ? table.put(changed, key) : table.put(changed))
  }
}
