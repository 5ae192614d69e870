import { describe, expect, jest, test } from '@jest/globals'
import { createFakeBrowser } from '../testing'
import type { LocalMigration, MigrationContext, MigrationImages } from './migrations'
import { runMigrations } from './run-migrations'
import { LATEST_MIGRATION_VERSION } from './skip-migrations'

const NOW = new Date('2026-11-20T12:00:00.000Z')
const HOUR_MS = 3_600_000

function setUp(texts: Record<string, string> = {}, quota?: number, isLagging = false) {
  const browser = createFakeBrowser(quota, { isLagging })
  for (const [key, text] of Object.entries(texts)) browser.area.setItem(key, text)
  const log = jest.fn()
  const locks = createTestLock()
  let announced = 0
  const run = (
    over: { migrations?: readonly LocalMigration[]; openImages?: MigrationContext['openImages'] } = {},
  ) =>
    runMigrations({
      storage: browser.openTab().storage,
      openImages: async () => null,
      now: () => NOW,
      runExclusively: locks,
      announceVersion: async version => {
        announced = version
      },
      announcedVersion: async () => announced,
      log,
      ...over,
    })
  const stored = (key: string) => browser.area.getItem(key)
  return { run, stored, log, browser }
}

function createTestLock() {
  let last: Promise<unknown> = Promise.resolve()
  return (task: () => Promise<void>): Promise<void> => {
    const next = last.then(task, task)
    last = next
    return next
  }
}

function fakeImages(ages: number[]) {
  const images = new Map(
    ages.map((ageMs, key) => [key, { createdMs: NOW.getTime() - ageMs, isPlaceholder: false }]),
  )
  const batches: number[] = []
  const store: MigrationImages<number> = {
    entries: async () =>
      [...images]
        .map(([key, image]) => ({ key, ...image }))
        .sort((left, right) => right.createdMs - left.createdMs),
    async replaceByPlaceholder(key) {
      const image = images.get(key)
      if (image) image.isPlaceholder = true
    },
    async delete(keys) {
      batches.push(keys.length)
      for (const key of keys) images.delete(key)
    },
  }
  const placeholders = () => [...images.values()].filter(image => image.isPlaceholder).length
  return { store, images, batches, placeholders }
}

const OLD_HISTORY = JSON.stringify([
  {
    id: '3f0a',
    created_at: '2024-12-24T18:00:00.000Z',
    folderId: null,
    messages: [
      { role: 'user', content: 'plain text' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'and this?' },
          { type: 'image_url', image_url: { url: 'https://images.example/1.png', detail: 'low' } },
          { type: 'document_url', document_url: { url: 'data:application/pdf;base64,AAAA' } },
          { type: 'image_url', image_url: { url: 'b', created_at: '2024-12-24T18:00:00.000Z' } },
        ],
      },
    ],
  },
])

describe('a failing migration', () => {
  const failing: LocalMigration = {
    version: 2,
    run: async () => {
      throw new Error('disk gone')
    },
  }
  const counting = (version: number, runs: number[]): LocalMigration => ({
    version,
    run: async () => {
      runs.push(version)
    },
  })

  test('is logged and rethrown, and the marker stays at the previous one', async () => {
    const { run, stored, log } = setUp()
    const runs: number[] = []
    const migrations = [counting(3, runs), failing, counting(1, runs)]
    await expect(run({ migrations })).rejects.toThrow('disk gone')
    expect(log).toHaveBeenCalledWith(expect.objectContaining({ message: 'disk gone' }), 2)
    expect(runs).toEqual([1])
    expect(stored('migrationsVersion')).toBe('1')
  })

  test('runs again at the next start, without the earlier ones', async () => {
    const { run, stored } = setUp()
    const runs: number[] = []
    await expect(run({ migrations: [counting(1, runs), failing] })).rejects.toThrow()
    await run({ migrations: [counting(1, runs), counting(2, runs), counting(3, runs)] })
    expect(runs).toEqual([1, 2, 3])
    expect(stored('migrationsVersion')).toBe('3')
  })

  test('is one without room in local storage', async () => {
    const { run, stored } = setUp({ conversationHistory: OLD_HISTORY }, OLD_HISTORY.length + 30)
    await expect(run()).rejects.toThrow('No room')
    expect(stored('conversationHistory')).toBe(OLD_HISTORY)
    expect(stored('migrationsVersion')).toBeNull()
  })
})

describe('the marker', () => {
  test.each([
    ['this', LATEST_MIGRATION_VERSION],
    ['a newer', 9],
  ])('of %s version is left alone, with what was set since', async (_, version) => {
    const { run, stored } = setUp({ migrationsVersion: String(version), maxContext: '1024' })
    await run()
    expect(stored('maxContext')).toBe('1024')
    expect(stored('migrationsVersion')).toBe(String(version))
  })

  test('that is unreadable makes all of them run', async () => {
    const { run, stored } = setUp({ migrationsVersion: '{broken', maxContext: '1024' })
    await run()
    expect(stored('maxContext')).toBe('2048')
    expect(stored('migrationsVersion')).toBe(String(LATEST_MIGRATION_VERSION))
  })

  test.each([
    ['at once', false],
    ['late', true],
  ])('keeps two tabs that see it %s from running one twice', async (_, isLagging) => {
    const { run } = setUp({}, undefined, isLagging)
    const runs: number[] = []
    const migrations = [1, 2, 3].map(version => ({
      version,
      run: async () => {
        await Promise.resolve()
        runs.push(version)
      },
    }))
    await Promise.all([run({ migrations }), run({ migrations })])
    expect(runs).toEqual([1, 2, 3])
  })
})

describe('version 1', () => {
  test('adds a date to parts without one and changes nothing else', async () => {
    const { run, stored } = setUp({ conversationHistory: OLD_HISTORY })
    await run()
    const [conversation] = JSON.parse(stored('conversationHistory') ?? '')
    const [, image, document, dated] = conversation.messages[1].content
    expect(image.image_url).toEqual({
      url: 'https://images.example/1.png',
      detail: 'low',
      created_at: '2025-01-12',
    })
    expect(document.document_url.created_at).toBe('2025-01-12')
    expect(dated.image_url.created_at).toBe('2024-12-24T18:00:00.000Z')
    expect(conversation.folderId).toBeNull()
    expect(conversation.messages[0]).toEqual({ role: 'user', content: 'plain text' })
  })

  test('adds dates to the selected conversation, too', async () => {
    const [selected] = JSON.parse(OLD_HISTORY)
    const { run, stored } = setUp({ selectedConversation: JSON.stringify(selected) })
    await run()
    expect(stored('selectedConversation')).toContain('"created_at":"2025-01-12"')
  })

  test('does not change damaged data', async () => {
    const { run, stored } = setUp({
      conversationHistory: '[{"id":',
      selectedConversation: '[1,null,{"messages":3}]',
    })
    await run()
    expect(stored('conversationHistory')).toBe('[{"id":')
    expect(stored('selectedConversation')).toBe('[1,null,{"messages":3}]')
    expect(stored('migrationsVersion')).toBe(String(LATEST_MIGRATION_VERSION))
  })
})

describe('version 2', () => {
  const withImages = (images: MigrationImages) => ({ openImages: async () => images })

  test('keeps up to 20 images whatever their age', async () => {
    const { run } = setUp()
    const { store, images, placeholders } = fakeImages(Array.from({ length: 20 }, () => 900 * HOUR_MS))
    await run(withImages(store))
    expect(images.size).toBe(20)
    expect(placeholders()).toBe(0)
  })

  test('beyond 20 replaces images older than two days by placeholders and deletes the others in fives', async () => {
    const { run } = setUp()
    const young = Array.from({ length: 32 }, (_, index) => index * HOUR_MS)
    const old = Array.from({ length: 4 }, (_, index) => (49 + index) * HOUR_MS)
    const { store, images, batches, placeholders } = fakeImages([...old, ...young])
    await run(withImages(store))
    expect(images.size).toBe(24)
    expect(placeholders()).toBe(4)
    expect(batches).toEqual([5, 5, 2])
  })

  test('deletes an image of exactly two days and replaces one a millisecond older', async () => {
    const { run } = setUp()
    const kept = Array.from({ length: 20 }, () => 0)
    const { store, images, placeholders } = fakeImages([...kept, 48 * HOUR_MS, 48 * HOUR_MS + 1])
    await run(withImages(store))
    expect(images.size).toBe(21)
    expect(placeholders()).toBe(1)
  })

  test('has the same result if it is interrupted after any step and restarted', async () => {
    const ages = [...Array.from({ length: 27 }, (_, index) => index * HOUR_MS), 60 * HOUR_MS, 70 * HOUR_MS]
    // Two placeholders, then seven that are deleted in batches of five.
    for (let stepCount = 0; stepCount < 4; stepCount += 1) {
      const { run, stored } = setUp()
      const { store, images, placeholders } = fakeImages(ages)
      let stepsLeft = stepCount
      const interrupted =
        <Key>(act: (key: Key) => Promise<void>) =>
        async (key: Key) => {
          if (stepsLeft === 0) throw new Error('interrupted')
          stepsLeft -= 1
          await act(key)
        }
      const cut = {
        ...store,
        replaceByPlaceholder: interrupted(store.replaceByPlaceholder),
        delete: interrupted(store.delete),
      }
      await expect(run(withImages(cut))).rejects.toThrow('interrupted')
      await run(withImages(store))
      expect(images.size).toBe(22)
      expect(placeholders()).toBe(2)
      expect(stored('migrationsVersion')).toBe(String(LATEST_MIGRATION_VERSION))
    }
  })
})

describe('version 3', () => {
  test.each([
    ['1024', '2048'],
    ['"1024"', '"2048"'],
    ['4096', '4096'],
    ['10240', '10240'],
    ['damaged', 'damaged'],
  ])('turns a stored maxContext of %s into %s', async (before, after) => {
    const { run, stored } = setUp({ maxContext: before })
    await run()
    expect(stored('maxContext')).toBe(after)
  })

  test('adds no maxContext where none is stored', async () => {
    const { run, stored } = setUp()
    await run()
    expect(stored('maxContext')).toBeNull()
  })
})
