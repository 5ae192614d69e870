import { imageDatabaseExists } from '../database/database-names'
import 'fake-indexeddb/auto'
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { deleteDatabases } from '../testing'
import { imageStore, openImageTable } from './image-store'

const NAME = 'image-urls-db'
const JPEG = '/9j/4AAQ'
const SVG = 'data:image/svg+xml;utf8,%3Csvg%20xmlns=%22http://www.w3.org/2000/svg%22/%3E'

/** Another program, which uses plain IndexedDB. */
function openPlain(
  version?: number,
  onUpgrade?: (database: IDBDatabase, upgrade: IDBTransaction | null) => void,
): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, version)
    request.onupgradeneeded = () => onUpgrade?.(request.result, request.transaction)
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

async function readPlain(version?: number) {
  const database = await openPlain(version)
  const records = await new Promise<Record<string, unknown>[]>((resolve, reject) => {
    const all = database.transaction('image_urls').objectStore('image_urls').getAll()
    all.onsuccess = () => resolve(all.result)
    all.onerror = () => reject(all.error)
  })
  database.close()
  return { version: database.version, records }
}

async function makePlain(version: number, records: object[]): Promise<void> {
  const database = await openPlain(version, (opened, upgrade) => {
    if (!opened.objectStoreNames.contains('image_urls')) {
      const store = opened.createObjectStore('image_urls', { keyPath: 'image_url.url' })
      store.createIndex('image_url.created_at', 'image_url.created_at')
    }
    for (const record of records) upgrade?.objectStore('image_urls').put(record)
  })
  database.close()
}

const recordOf = (number: number, base64_json: string) => ({
  image_url: { url: `image-store:${number}`, created_at: '2026-11-01T00:00:00.000Z' },
  base64_json,
})
const MADE_BEFORE = [
  { ...recordOf(1, `data:image/jpeg;base64,${JPEG}`), prompt: 'a coin' },
  ...Array.from({ length: 6 }, (_, index) => recordOf(index + 2, `iVBORw${index}`)),
]
const MADE_ANEW = [{ ...MADE_BEFORE[0], base64_json: JPEG }, ...MADE_BEFORE.slice(1)]

beforeEach(deleteDatabases)
afterEach(() => {
  jest.restoreAllMocks()
})

describe('version 1 of the image store', () => {
  test('can be read by another program, with plain base64 of the bytes', async () => {
    const table = await openImageTable()
    await table.save(recordOf(1, `data:image/jpeg;base64,${JPEG}`))
    await table.save(recordOf(2, SVG))
    await table.save(recordOf(3, 'data:image/avif;base64,AAAA'))
    const { version, records } = await readPlain(1)
    expect(version).toBe(1)
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64')
    expect(records.map(record => record.base64_json)).toEqual([JPEG, svg, 'AAAA'])
    expect(await imageStore.resolve('image-store:1')).toBe(`data:image/jpeg;base64,${JPEG}`)
    expect(await imageStore.resolve('image-store:2')).toBe(`data:image/svg+xml;base64,${svg}`)
    expect(await imageStore.resolve('image-store:3')).toBe('data:image/avif;base64,AAAA')
  })

  test('made by another program is opened unchanged', async () => {
    await makePlain(1, [recordOf(1, JPEG)])
    const table = await openImageTable()
    expect((await table.get('image-store:1'))?.base64_json).toBe(JPEG)
    await table.save(recordOf(2, JPEG))
    expect(await readPlain(1)).toMatchObject({ version: 1, records: [recordOf(1, JPEG), recordOf(2, JPEG)] })
  })

  test('replaces our earlier version 10 with every picture', async () => {
    await makePlain(10, MADE_BEFORE)
    await openImageTable()
    expect(await readPlain(1)).toEqual({ version: 1, records: MADE_ANEW })
    const names = (await indexedDB.databases()).map(({ name }) => name)
    expect(names).toEqual([NAME])
  })

  test('leaves a version 10 of another shape unchanged', async () => {
    const database = await openPlain(10, created => {
      created.createObjectStore('image_urls', { autoIncrement: true }).put(recordOf(1, JPEG))
    })
    database.close()
    await openImageTable()
    expect((await readPlain()).version).toBe(10)
  })

  test('is not made before there is room for two copies of the pictures', async () => {
    await makePlain(10, MADE_BEFORE)
    let count = 0
    const put = IDBObjectStore.prototype.put
    jest.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (this: IDBObjectStore, ...args) {
      count += 1
      if (count > 3) throw new DOMException('No room.', 'QuotaExceededError')
      return Reflect.apply(put, this, args)
    })
    expect(await (await openImageTable()).entries()).toHaveLength(MADE_BEFORE.length)
    jest.restoreAllMocks()
    expect(await readPlain()).toEqual({ version: 10, records: MADE_BEFORE })
    expect((await indexedDB.databases()).map(({ name }) => name)).toEqual([NAME])
  })
})

/** Simulates that the page dies at its n-th change of a database: neither that change nor any later one happens. */
function dieAtChange(fatal: number): { count: number } {
  const changes = { count: 0 }
  const guard = <Owner extends object>(owner: Owner, name: keyof Owner & string) => {
    const original: unknown = Reflect.get(owner, name)
    if (typeof original !== 'function') throw new TypeError(name)
    Object.defineProperty(owner, name, {
      configurable: true,
      value(this: unknown, ...args: unknown[]) {
        changes.count += 1
        if (changes.count >= fatal) throw new DOMException('This page is gone.', 'AbortError')
        return Reflect.apply(original, this, args)
      },
    })
    undo.push(() =>
      Object.defineProperty(owner, name, { configurable: true, writable: true, value: original }),
    )
  }
  guard(IDBObjectStore.prototype, 'put')
  guard(indexedDB, 'deleteDatabase')
  return changes
}
const undo: (() => void)[] = []
afterEach(() => {
  for (const restore of undo.splice(0)) restore()
})

test('a page that crashes at any step towards version 1 loses no picture, and the next one continues', async () => {
  let isThrough = false
  for (let fatal = 1; !isThrough; fatal += 1) {
    await deleteDatabases()
    await makePlain(10, MADE_BEFORE)
    const changes = dieAtChange(fatal)
    await openImageTable().catch(() => undefined)
    isThrough = changes.count < fatal
    for (const restore of undo.splice(0)) restore()
    expect(await imageDatabaseExists()).toBe(true)
    await openImageTable()
    expect(await readPlain(1)).toEqual({ version: 1, records: MADE_ANEW })
    expect((await indexedDB.databases()).map(({ name }) => name)).toEqual([NAME])
  }
})

test('pictures stored by an earlier version in between are kept with the others', async () => {
  await makePlain(10, MADE_BEFORE)
  dieAtChange(MADE_BEFORE.length + 2)
  await openImageTable().catch(() => undefined)
  for (const restore of undo.splice(0)) restore()
  await makePlain(10, [recordOf(99, JPEG)])
  await openImageTable()
  const { records } = await readPlain(1)
  expect(records).toHaveLength(MADE_BEFORE.length + 1)
})
