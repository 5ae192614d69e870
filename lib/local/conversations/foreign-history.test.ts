import { describe, expect, test } from '@jest/globals'
import { conversationOf, createFakeBrowser, createTestClock, openConversations } from '../testing'

const HISTORY = 'conversationHistory'
const SELECTED = 'selectedConversation'

function setUp() {
  const browser = createFakeBrowser()
  const { repository } = openConversations(browser.openTab(), createTestClock())
  return { browser, repository }
}

function ids(conversations: readonly { id: string }[]) {
  return conversations.map(conversation => conversation.id).sort()
}

describe('a history that another product stored', () => {
  test.each(['', '   ', 'null', 'undefined'])('that is the text %j is ignored', text => {
    const { repository, browser } = setUp()
    for (const key of [HISTORY, SELECTED]) browser.area.setItem(key, text)
    expect(repository.snapshot()).toEqual([])
    expect(browser.area.getItem(`${HISTORY}.damaged.1`)).toBeNull()
    expect(browser.area.getItem(`${SELECTED}.damaged.1`)).toBeNull()
  })

  test('with two conversations under one id keeps both', () => {
    const { repository, browser } = setUp()
    const list = [conversationOf('a', 'one'), conversationOf('a', 'other'), conversationOf('a', 'one')]
    browser.area.setItem(HISTORY, JSON.stringify(list))
    expect(ids(repository.snapshot())).toEqual(['a', 'a-2'])
    repository.save(conversationOf('b', 'new'), false)
    expect(ids(JSON.parse(browser.area.getItem(HISTORY) ?? '[]'))).toEqual(['a', 'a-2', 'b'])
  })

  test('with the latest possible date can still be changed', () => {
    const { repository, browser } = setUp()
    const future = { ...conversationOf('a', 'one'), updated_at: '+275760-09-13T00:00:00.000Z' }
    browser.area.setItem(HISTORY, JSON.stringify([future]))
    expect(repository.save(conversationOf('a', 'one', 'two'), false)).toBe(true)
    expect(repository.get('a')?.messages).toHaveLength(2)
  })

  test.each(['a', '"a"'])('selected by its bare id, %s, is selected', text => {
    const { repository, browser } = setUp()
    browser.area.setItem(HISTORY, JSON.stringify([conversationOf('a', 'one'), conversationOf('b', 'two')]))
    browser.area.setItem(SELECTED, text)
    expect(repository.storedSelection()?.id).toBe('a')
    expect(browser.area.getItem(`${SELECTED}.damaged.1`)).toBeNull()
  })
})
