import { IMAGE_DATABASE_NAME } from '../database/database-names'
import 'fake-indexeddb/auto'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { databaseExists } from '../database/database-exists'
import { openBrowserDatabase } from '../database/open-database'
import { createMigrationImages } from '../migrations/migration-images'
import { deleteDatabases } from '../testing'
import { openImageTable } from './image-store'
import type { ImageTable } from './image-table'
import { PLACEHOLDER_BASE64, PLACEHOLDER_DATA_URL } from './placeholder'
import { dataUrlOf, type StoredImage } from './stored-image'

function imageOf(name: string, day: number, base64 = `bytes of ${name}`): StoredImage {
  return {
    image_url: { url: name, created_at: `2026-11-${String(day).padStart(2, '0')}T00:00:00.000Z` },
    base64_json: base64,
  }
}

/** A store in the specified shape, created by another product without Dexie. */
function makeForeignStore(options: IDBObjectStoreParameters, records: [unknown, IDBValidKey?][]) {
  return new Promise<void>((resolve, reject) => {
    const request = indexedDB.open(IMAGE_DATABASE_NAME, 1)
    request.onerror = () => reject(request.error)
    request.onupgradeneeded = () => {
      const store = request.result.createObjectStore('image_urls', options)
      for (const [record, key] of records) store.put(record, key)
    }
    request.onsuccess = () => {
      request.result.close()
      resolve()
    }
  })
}

async function names(table: ImageTable) {
  return (await table.entries()).map(entry => entry.url)
}

beforeEach(deleteDatabases)

describe('the image store', () => {
  test('is not created by checking whether it exists', async () => {
    expect(await databaseExists(IMAGE_DATABASE_NAME)).toBe(false)
    Object.defineProperty(indexedDB, 'databases', { value: undefined, configurable: true })
    expect(await databaseExists(IMAGE_DATABASE_NAME)).toBe(false)
    await openImageTable()
    expect(await databaseExists(IMAGE_DATABASE_NAME)).toBe(true)
    Reflect.deleteProperty(indexedDB, 'databases')
  })

  test('lists the newest image first and finds each by its URL', async () => {
    const table = await openImageTable()
    for (const [name, day] of [
      ['a', 3],
      ['b', 9],
      ['c', 6],
    ] as const)
      await table.save(imageOf(name, day))
    expect(await names(table)).toEqual(['b', 'c', 'a'])
    expect(await table.get('c')).toEqual(imageOf('c', 6))
    expect(await table.get('unknown')).toBeNull()
  })

  test('replaces an image with the same URL', async () => {
    const table = await openImageTable()
    await table.save(imageOf('a', 3))
    await table.save(imageOf('a', 3, 'other bytes'))
    expect(await names(table)).toEqual(['a'])
    expect((await table.get('a'))?.base64_json).toBe('other bytes')
  })
})

test('finds images by age without reading them, but only in our own store', async () => {
  const table = await openImageTable()
  await table.save(imageOf('old', 3))
  await table.save(imageOf('new', 9))
  expect(await table.urlsStoredBefore(new Date('2026-11-05T00:00:00.000Z'))).toEqual(['old'])
  await deleteDatabases()
  await makeForeignStore({ autoIncrement: true }, [[imageOf('old', 3)]])
  expect(await (await openImageTable()).urlsStoredBefore(new Date())).toEqual([])
})

describe('a store of another version', () => {
  test.each<[string, IDBObjectStoreParameters]>([
    ['a number counted up inside the record', { keyPath: 'id', autoIncrement: true }],
    ['a number counted up beside the record', { autoIncrement: true }],
    ['the address inside the record', { keyPath: 'image_url.url' }],
  ])('is read and written with %s as its key', async (_, options) => {
    await makeForeignStore(options, [[imageOf('a', 1)], [imageOf('b', 2)]])
    const table = await openImageTable()
    await table.save(imageOf('c', 3))
    await table.save(imageOf('a', 1, 'changed'))
    expect(await names(table)).toEqual(['c', 'b', 'a'])
    expect((await table.get('a'))?.base64_json).toBe('changed')
  })

  test('with keys outside the records is read and written', async () => {
    await makeForeignStore({}, [[imageOf('a', 1), 'key of a']])
    const table = await openImageTable()
    await table.save(imageOf('a', 1, 'changed'))
    await table.save(imageOf('b', 2))
    expect(await names(table)).toEqual(['b', 'a'])
  })

  test.each<[string, IDBObjectStoreParameters, object]>([
    ['the bare address', { keyPath: 'image_url' }, { image_url: 'a' }],
    ['the address and its date', { keyPath: ['image_url', 'created_at'] }, { image_url: 'a' }],
    ['the date', { keyPath: 'created_at' }, { image_url: 'a' }],
    ['a field of its own', { keyPath: 'id' }, { id: 1, image_url: { url: 'a' } }],
  ])('stores new pictures and finds old ones with %s as its key', async (_, options, fields) => {
    const old = { created_at: '2026-11-01T00:00:00.000Z', base64_json: 'x', ...fields }
    await makeForeignStore(options, [[old]])
    const table = await openImageTable()
    await table.save(imageOf('b', 2))
    await table.save(imageOf('b', 2, 'changed'))
    expect(await names(table)).toEqual(['b', 'a'])
    expect(await table.get('b')).toEqual(imageOf('b', 2, 'changed'))
  })

  test('with numbers or Date objects as dates keeps its order', async () => {
    const dayMs = (day: number) => Date.UTC(2026, 10, day)
    await makeForeignStore({ autoIncrement: true }, [
      [{ image_url: { url: 'a', created_at: dayMs(1) }, base64_json: 'x' }],
      [{ image_url: { url: 'c', created_at: new Date(dayMs(3)) }, base64_json: 'x' }],
      [{ image_url: 'b', created_at: dayMs(2) / 1_000, base64_json: 'x' }],
    ])
    expect(await names(await openImageTable())).toEqual(['c', 'b', 'a'])
  })

  test('without URLs is read by its keys', async () => {
    await makeForeignStore({}, [[{ image_url: {}, base64_json: 'x' }, 'key of a']])
    expect(await names(await openImageTable())).toEqual(['image-store:key of a'])
  })

  test('with the date beside the URL, or without one, is read', async () => {
    await makeForeignStore({ autoIncrement: true }, [
      [{ image_url: 'a', created_at: '2026-11-05T00:00:00.000Z', base64_json: 'x', prompt: 'a coin' }],
      [{ image_url: { url: 'b' }, base64_json: 'y' }],
      ['not a record'],
    ])
    const table = await openImageTable()
    expect(await names(table)).toEqual(['a', 'b'])
    expect((await table.entries())[1]?.createdMs).toBe(0)
  })

  test('without the table gets one and keeps its content', async () => {
    await new Promise<void>(resolve => {
      const request = indexedDB.open(IMAGE_DATABASE_NAME, 15)
      request.onupgradeneeded = () => {
        request.result.createObjectStore('counted', { autoIncrement: true }).put('kept')
        request.result.createObjectStore('other').put('kept', 1)
      }
      request.onsuccess = () => {
        request.result.close()
        resolve()
      }
    })
    const table = await openImageTable()
    await table.save(imageOf('a', 1))
    const database = await openBrowserDatabase(IMAGE_DATABASE_NAME, null)
    expect(await database.table('other').get(1)).toBe('kept')
  })
})

describe('the clean-up of version 2', () => {
  test('copies a picture to the archive before removing it, and never a placeholder', async () => {
    const table = await openImageTable()
    await table.save(imageOf('a', 1, 'data:image/jpeg;base64,/9j/AAAA'))
    await table.save(imageOf('b', 2))
    const archived = new Map<string, StoredImage>()
    const images = createMigrationImages(table, async () => ({
      put: async image => void archived.set(image.url, image),
    }))
    await images.replaceByPlaceholder('a')
    await images.replaceByPlaceholder('a')
    await images.delete(['b'])
    expect(await names(table)).toEqual(['a'])
    expect((await table.get('a'))?.base64_json).toBe(PLACEHOLDER_BASE64)
    expect(archived.get('a')?.base64_json).toBe('/9j/AAAA')
    expect(archived.get('b')?.base64_json).toBe('bytes of b')
  })

  test.each([
    ['bytes', PLACEHOLDER_BASE64],
    ['data:image/png;base64,iVBORw', PLACEHOLDER_DATA_URL],
  ])('keeps the form in which the store has its bytes, as in %s', async (bytes, placeholder) => {
    await makeForeignStore({ keyPath: 'image_url.url' }, [[imageOf('a', 1, bytes)]])
    const table = await openImageTable()
    const images = createMigrationImages(table, async () => ({ put: async () => undefined }))
    await images.replaceByPlaceholder('a')
    expect((await images.entries())[0]?.isPlaceholder).toBe(true)
    expect((await table.get('a'))?.base64_json).toBe(placeholder)
  })

  test('uses a PNG of one pixel as placeholder', () => {
    const bytes = Buffer.from(PLACEHOLDER_BASE64, 'base64')
    expect(bytes.subarray(1, 4).toString()).toBe('PNG')
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1, 1])
  })
})

test.each([
  ['/9j/4AAQ', 'data:image/jpeg;base64,/9j/4AAQ'],
  ['iVBORw0K', 'data:image/png;base64,iVBORw0K'],
  ['data:image/webp;base64,AA', 'data:image/webp;base64,AA'],
])('bytes stored as %s are shown as %s', (base64, expected) => {
  expect(dataUrlOf(imageOf('a', 1, base64))).toBe(expected)
})
