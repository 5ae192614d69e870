import { describe, expect, test } from '@jest/globals'
import { createMemoryArea } from '../storage/storage-area'
import { conversationOf, createFakeBrowser, createTestClock, openConversations } from '../testing'
import { createConversationStore } from './conversation-store'
import { createSaveScheduler } from './save-scheduler'
import { createSelectedConversationStore } from './selected-conversation-store'

function setUp() {
  const browser = createFakeBrowser()
  const tabArea = createMemoryArea()
  const idle: (() => void)[] = []
  const open = () => {
    const { repository } = openConversations(browser.openTab(), createTestClock())
    const selection = createSelectedConversationStore(repository, () => tabArea)
    const store = createConversationStore(
      repository,
      selection,
      () => undefined,
      save => createSaveScheduler(save, task => idle.push(task)),
    )
    return { store, selection }
  }
  const runIdle = () => {
    for (const task of idle.splice(0)) task()
  }
  return { browser, open, idle, runIdle, ...open() }
}

describe('the snapshot', () => {
  test('is the same object until something changes, newest first', () => {
    const { store } = setUp()
    store.saveConversation(conversationOf('a', 'text'))
    store.saveConversation(conversationOf('b', 'text'))
    const before = store.getSnapshot()
    expect(before.map(conversation => conversation.id)).toEqual(['b', 'a'])
    expect(store.getSnapshot()).toBe(before)
    store.saveConversation(conversationOf('a', 'text', 'answer'))
    expect(store.getSnapshot().map(conversation => conversation.id)).toEqual(['a', 'b'])
    expect(store.getSnapshot()[1]).toBe(before[0])
  })
})

describe('a scheduled save', () => {
  test('is one write for many changes, with the last state', () => {
    const { store, idle, runIdle, browser } = setUp()
    for (const text of ['a', 'an', 'answer'])
      store.scheduleSave('a', () => conversationOf('a', 'question', text))
    expect(idle).toHaveLength(1)
    expect(browser.area.length).toBe(0)
    runIdle()
    expect(store.get('a')?.messages[1]?.content).toBe('answer')
  })

  test('is written at once when the page is left', () => {
    const { store, browser, open } = setUp()
    store.scheduleSave('a', () => conversationOf('a', 'question', 'ans'))
    store.flushScheduledSaves()
    expect(browser.area.length).toBeGreaterThan(0)
    expect(open().store.get('a')?.messages).toHaveLength(2)
  })

  test('does not overwrite a later direct save', () => {
    const { store, runIdle } = setUp()
    store.scheduleSave('a', () => conversationOf('a', 'question', 'ans'))
    store.saveConversation(conversationOf('a', 'question', 'answer'))
    runIdle()
    expect(store.get('a')?.messages[1]?.content).toBe('answer')
  })
})

describe('deleting', () => {
  test('is undone in reverse order', () => {
    const { store } = setUp()
    for (const id of ['a', 'b']) store.saveConversation(conversationOf(id, 'text'))
    store.deleteConversation('a')
    store.deleteConversation('b')
    expect(store.getSnapshot()).toEqual([])
    expect([store.undoDelete()?.id, store.undoDelete()?.id, store.undoDelete()]).toEqual(['b', 'a', null])
    expect(store.getSnapshot()).toHaveLength(2)
  })

  test('a missing conversation returns false', () => {
    expect(setUp().store.deleteConversation('a')).toBe(false)
  })

  test('the selected conversation opens a new chat, also after a reload', () => {
    const { store, selection, open } = setUp()
    store.saveConversation(conversationOf('a', 'text'))
    selection.select('a')
    store.deleteConversation('a')
    expect(selection.getSnapshot()).toBeNull()
    expect(open().selection.getSnapshot()).toBeNull()
  })
})

describe('the selection', () => {
  test('survives a reload of its tab', () => {
    const { store, selection, open } = setUp()
    store.saveConversation(conversationOf('a', 'text'))
    selection.select('a')
    expect(open().selection.getSnapshot()?.id).toBe('a')
  })

  test('is stored apart, as the conversation itself', () => {
    const { store, selection, browser } = setUp()
    store.saveConversation(conversationOf('a', 'text'))
    selection.select('a')
    expect(JSON.parse(browser.area.getItem('selectedConversation') ?? '')).toMatchObject(
      conversationOf('a', 'text'),
    )
    selection.select(null)
    expect(browser.area.getItem('selectedConversation')).toBeNull()
  })
})

test('a renamed conversation keeps its messages', () => {
  const { store } = setUp()
  store.saveConversation(conversationOf('a', 'text'))
  expect(store.renameConversation('a', 'Coins')).toBe(true)
  expect(store.get('a')).toMatchObject({ title: 'Coins', messages: [{ content: 'text' }] })
  expect(store.renameConversation('unknown', 'Coins')).toBe(false)
})
