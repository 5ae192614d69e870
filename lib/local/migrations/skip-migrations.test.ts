import { expect, test } from '@jest/globals'
import { createFakeBrowser } from '../testing'
import { LOCAL_MIGRATIONS } from './migrations'
import { LATEST_MIGRATION_VERSION, skipMigrations } from './skip-migrations'

function setUp(texts: Record<string, string> = {}, hasDatabases = false) {
  const browser = createFakeBrowser()
  for (const [key, text] of Object.entries(texts)) browser.area.setItem(key, text)
  const skip = () => skipMigrations(browser.openTab().storage, async () => hasDatabases)
  return { skip, marker: () => browser.area.getItem('migrationsVersion') }
}

test.each(['conversationHistory', 'selectedConversation', 'maxContext'])(
  'a browser with %s runs the migrations',
  async key => {
    const { skip, marker } = setUp({ [key]: '' })
    expect(await skip()).toBe(false)
    expect(marker()).toBeNull()
  },
)

test('a browser with anything that a migration reads runs the migrations', async () => {
  const read = new Set<string>()
  const { storage } = createFakeBrowser().openTab()
  const noting = {
    ...storage,
    read(key: string) {
      read.add(key)
      return null
    },
  }
  const context = { storage: noting, openImages: async () => null, now: () => new Date() }
  for (const migration of LOCAL_MIGRATIONS) await migration.run(context)
  for (const key of read) expect([key, await setUp({ [key]: '' }).skip()]).toEqual([key, false])
})

test('a browser with pictures or an archive runs the migrations', async () => {
  const { skip, marker } = setUp({}, true)
  expect(await skip()).toBe(false)
  expect(marker()).toBeNull()
})

test.each(['0', '"2"', '9', 'x'])('the marker %s of another version stays unchanged', async text => {
  const { skip, marker } = setUp({ migrationsVersion: text })
  expect(await skip()).toBe(false)
  expect(marker()).toBe(text)
})

test('an image store that cannot be checked does not count as missing', async () => {
  const { storage } = createFakeBrowser().openTab()
  await expect(skipMigrations(storage, () => Promise.reject(new Error('blocked')))).rejects.toThrow('blocked')
  expect(storage.read('migrationsVersion')).toBeNull()
})

test('an empty browser gets the marker of the latest migration, and keeps it', async () => {
  const { skip, marker } = setUp({ settings: '{}', credit_id: 'x' })
  expect(await skip()).toBe(true)
  expect(marker()).toBe(String(Math.max(...LOCAL_MIGRATIONS.map(({ version }) => version))))
  expect(marker()).toBe(String(LATEST_MIGRATION_VERSION))
  expect(await skip()).toBe(true)
})
