import { ARCHIVE_DATABASE_NAME, archiveExists } from '../database/database-names'
import 'fake-indexeddb/auto'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { createConversationStore } from '../conversations/conversation-store'
import { areConversationsTooLarge } from '../conversations/is-too-large'
import { createSelectedConversationStore } from '../conversations/selected-conversation-store'
import { databaseExists } from '../database/database-exists'
import { openedOnce } from '../database/opened-once'
import { createMemoryArea } from '../storage/storage-area'
import {
  conversationOf,
  createFakeBrowser,
  createTestClock,
  deleteDatabases,
  openConversations,
} from '../testing'
import { type Archive, createArchive } from './archive'
import { openArchiveDatabase } from './archive-database'
import { createHistoryStore } from './create-history-store'

const HISTORY = 'conversationHistory'

function setUp(quota?: number) {
  const browser = createFakeBrowser(quota)
  const tab = browser.openTab()
  const { repository, overflowed } = openConversations(tab, createTestClock())
  const selection = createSelectedConversationStore(repository, createMemoryArea)
  const deleted: string[] = []
  const openElsewhere: string[] = []
  const store = createConversationStore(repository, selection, id => deleted.push(id))
  const archive = createArchive(openedOnce(openArchiveDatabase))
  const historyWith = (usedArchive: Archive) =>
    createHistoryStore({
      store,
      repository,
      archive: usedArchive,
      archiveExists,
      areConversationsTooLarge: () => areConversationsTooLarge(tab.storage),
      openIds: async () => new Set([selection.selectedId() ?? '', ...openElsewhere]),
      runExclusively: task => task(),
    })
  const storedIds = () =>
    JSON.parse(browser.area.getItem(HISTORY) ?? '[]').map((item: { id: string }) => item.id)
  return {
    browser,
    store,
    repository,
    selection,
    archive,
    history: historyWith(archive),
    historyWith,
    storedIds,
    deleted,
    overflowed,
    openElsewhere,
  }
}

function saveMany(setting: ReturnType<typeof setUp>, count: number, text = 'text') {
  for (let index = 0; index < count; index += 1)
    setting.store.saveConversation(conversationOf(`c${index}`, text))
}

test('a renamed or archived conversation keeps its position in the history', async () => {
  await deleteDatabases()
  const { store, history } = setUp()
  const day = (number: number) => `2026-11-0${number}T12:00:00.000Z`
  for (const number of [1, 2, 3]) {
    const conversation = conversationOf(`c${number}`, 'text')
    const messages = conversation.messages.map(message => ({ ...message, created_at: day(number) }))
    store.saveConversation({ ...conversation, created_at: day(number), messages })
  }
  const order = () => history.getSnapshot().map(({ id }) => id)
  expect(order()).toEqual(['c3', 'c2', 'c1'])
  store.renameConversation('c1', 'An old one')
  expect(order()).toEqual(['c3', 'c2', 'c1'])
  await history.overflowed({ ...conversationOf('c1', 'text'), ...store.get('c1') })
  await history.makeRoom()
  expect(history.getSnapshot().map(({ id, isArchived }) => `${id} ${isArchived}`)).toContain('c2 true')
  expect(order()).toEqual(['c3', 'c2', 'c1'])
})

beforeEach(deleteDatabases)

describe('the clean-up', () => {
  test('archives nothing with at most 20 conversations', async () => {
    const setting = setUp()
    saveMany(setting, 20)
    expect(await setting.history.cleanUp()).toBe(0)
    expect(await databaseExists(ARCHIVE_DATABASE_NAME)).toBe(false)
  })

  test('keeps the 20 most recent and the selected one, and lists all of them', async () => {
    const setting = setUp()
    saveMany(setting, 30)
    setting.selection.select('c2')
    expect(await setting.history.cleanUp()).toBe(9)
    expect(setting.storedIds()).toHaveLength(21)
    expect(setting.storedIds()).toContain('c2')
    const entries = setting.history.getSnapshot()
    expect(entries.map(entry => entry.id)).toEqual(Array.from({ length: 30 }, (_, index) => `c${29 - index}`))
    expect(entries.filter(entry => entry.isArchived)).toHaveLength(9)
  })

  test('leaves conversations that are open in other tabs', async () => {
    const setting = setUp()
    saveMany(setting, 25)
    setting.openElsewhere.push('c0', 'c2')
    expect(await setting.history.cleanUp()).toBe(3)
    expect(setting.storedIds()).toEqual(expect.arrayContaining(['c0', 'c2']))
  })

  test('archives the latest state of a streaming answer, also when writes overtake each other', async () => {
    const { archive } = setUp()
    const states = ['one', 'one two', 'one two three'].map((text, index) => ({
      ...conversationOf('a', 'question', text),
      updated_at: new Date(Date.UTC(2026, 10, 20) + index).toISOString(),
    }))
    await Promise.all(states.map(state => archive.put([state])))
    expect(await archive.get('a')).toEqual(states[2])
  })

  test('removes nothing if the archive cannot store it', async () => {
    const setting = setUp()
    saveMany(setting, 25)
    const broken = { ...setting.archive, put: () => Promise.reject(new Error('no database')) }
    await expect(setting.historyWith(broken).cleanUp()).rejects.toThrow('no database')
    expect(setting.storedIds()).toHaveLength(25)
  })

  test('keeps a conversation that changes while it is being copied', async () => {
    const setting = setUp()
    saveMany(setting, 25)
    const slow: Archive = {
      ...setting.archive,
      async put(conversations) {
        await setting.archive.put(conversations)
        setting.store.saveConversation(conversationOf('c0', 'text', 'a late answer'))
      },
    }
    expect(await setting.historyWith(slow).cleanUp()).toBe(4)
    expect(setting.storedIds()).toContain('c0')
  })

  test('archives further if 20 are still too much', async () => {
    const setting = setUp()
    saveMany(setting, 12, 'x'.repeat(400_000))
    expect(await setting.history.makeRoom()).toBe(2)
    expect(setting.storedIds()).toHaveLength(10)
  })
})

describe('an archived conversation', () => {
  async function archiveFive() {
    const setting = setUp()
    saveMany(setting, 25)
    await setting.history.cleanUp()
    return setting
  }

  test('is opened whole and moved back to local storage', async () => {
    const setting = await archiveFive()
    const opened = await setting.history.open('c3')
    expect(opened?.messages[0]?.content).toBe('text')
    setting.selection.select('c3')
    expect(setting.selection.getSnapshot()?.id).toBe('c3')
    expect(setting.history.getSnapshot()).toHaveLength(25)
  })

  test('can be deleted, and restored by undo', async () => {
    const setting = await archiveFive()
    expect(await setting.history.delete('c3')).toBe(true)
    expect(setting.history.getSnapshot()).toHaveLength(24)
    expect(setting.store.undoDelete()?.id).toBe('c3')
    expect(setting.history.getSnapshot()).toHaveLength(25)
  })

  test('does not replace a newer copy in local storage', async () => {
    const setting = await archiveFive()
    await setting.history.open('c3')
    setting.store.saveConversation(conversationOf('c3', 'text', 'a new answer'))
    expect((await setting.history.open('c3'))?.messages).toHaveLength(2)
    expect(setting.history.getSnapshot().find(entry => entry.id === 'c3')?.isArchived).toBe(false)
  })

  test('is used if local storage had no room for its end', async () => {
    const setting = setUp(600)
    setting.store.saveConversation(conversationOf('a', 'question'))
    setting.store.saveConversation(conversationOf('a', 'question', 'x'.repeat(600)))
    for (const conversation of setting.overflowed) await setting.history.overflowed(conversation)
    const reopened = setUp()
    reopened.browser.area.setItem(HISTORY, setting.browser.area.getItem(HISTORY) ?? '')
    await reopened.history.load()
    expect((await reopened.history.open('a'))?.messages).toHaveLength(2)
  })

  test.each(['before', 'after'])(
    'deleted %s its copy is written, it leaves none, and no error',
    async when => {
      const setting = setUp()
      saveMany(setting, 1)
      const conversation = { ...conversationOf('c0', 'text'), ...setting.store.get('c0') }
      const remove = async () => {
        setting.store.deleteConversation('c0')
        await setting.history.deleted('c0')
      }
      const put: Archive['put'] = async conversations => {
        if (when === 'before') await remove()
        await setting.archive.put(conversations)
        if (when === 'before') return
        await remove()
        throw new Error('The archived copy of a conversation differs from the original.')
      }
      await setting.historyWith({ ...setting.archive, put }).overflowed(conversation)
      expect(await setting.archive.get('c0')).toBeNull()
      expect(setting.history.getSnapshot()).toEqual([])
    },
  )
})

describe('the search', () => {
  test('finds all words in local storage and archive, ignoring accents and case', async () => {
    const setting = setUp()
    setting.store.saveConversation(
      conversationOf('old', 'Où est la Forêt de Fontainebleau ?', 'Près de Paris.'),
    )
    saveMany(setting, 22)
    setting.store.saveConversation(conversationOf('new', 'foret noire, gâteau de Paris'))
    await setting.history.cleanUp()
    const found = setting.history.search('PARIS forêt')
    expect(found.map(result => [result.entry.id, result.entry.isArchived])).toEqual([
      ['new', false],
      ['old', true],
    ])
    expect(found[1]?.excerpt).toContain('Paris')
  })

  test('has excerpts that add to the title, from local storage and archive', async () => {
    const setting = setUp()
    const title = 'Penguins'
    setting.store.saveConversation({ ...conversationOf('a', 'All about penguins', 'They swim.'), title })
    setting.store.saveConversation(conversationOf('b', 'Do penguins fly?', 'Never.'))
    const excerpts = () => setting.history.search('penguins').map(({ entry, excerpt }) => [entry.id, excerpt])
    const expected = [
      ['b', ''],
      ['a', '…All about penguins They swim.'],
    ]
    expect(excerpts()).toEqual(expected)
    saveMany(setting, 22)
    await setting.history.cleanUp()
    expect(excerpts()).toEqual(expected)
    expect(setting.history.search('penguins never')[0]?.excerpt).toBe('…fly? Never.')
  })

  test('has excerpts with the rarest of several words', () => {
    const setting = setUp()
    setting.store.saveConversation(
      conversationOf('a', 'A dish', `${'Boil the rice. '.repeat(20)}Add saffron rice.`),
    )
    expect(setting.history.search('rice saffron')[0]?.excerpt).toBe('…rice. Add saffron rice.')
  })

  test.each(['', '   ', 'nowhere'])('finds nothing for "%s"', query => {
    const setting = setUp()
    saveMany(setting, 3)
    expect(setting.history.search(query)).toEqual([])
  })
})
