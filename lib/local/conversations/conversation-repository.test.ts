import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { conversationOf, createFakeBrowser, createTestClock, openConversations, usedSize } from '../testing'

const HISTORY = 'conversationHistory'
const SELECTED = 'selectedConversation'

function openTwoTabs(quota?: number) {
  const browser = createFakeBrowser(quota)
  const now = createTestClock()
  const tabs = [browser.openTab(), browser.openTab()] as const
  const left = openConversations(tabs[0], now)
  const right = openConversations(tabs[1], now)
  return { browser, now, tabs, left, right }
}

/** Delivers events and runs reviews until nothing more happens. */
function settle({ browser, left, right }: ReturnType<typeof openTwoTabs>) {
  for (let round = 0; round < 6; round += 1) {
    browser.deliver()
    left.review()
    right.review()
  }
}

function ids(conversations: readonly { id: string }[]) {
  return conversations.map(conversation => conversation.id).sort()
}

function storedIds(browser: ReturnType<typeof createFakeBrowser>) {
  return ids(JSON.parse(browser.area.getItem(HISTORY) ?? '[]'))
}

describe('a full disk', () => {
  test('makes a save return false, opens the warning and keeps the conversation in memory', () => {
    const { left, tabs } = openTwoTabs(400)
    expect(left.repository.save(conversationOf('a', 'x'.repeat(500)), false)).toBe(false)
    expect(tabs[0].fullCount()).toBe(1)
    expect(ids(left.repository.snapshot())).toEqual(['a'])
    expect(ids(left.overflowed)).toEqual(['a'])
  })

  test('leaves what was stored before untouched', () => {
    const { left, browser } = openTwoTabs(400)
    left.repository.save(conversationOf('a', 'short'), false)
    const before = browser.area.getItem(HISTORY)
    left.repository.save(conversationOf('b', 'x'.repeat(500)), false)
    expect(browser.area.getItem(HISTORY)).toBe(before)
  })

  test('still allows deleting a conversation, after which the unsaved one is saved', () => {
    const { left, browser } = openTwoTabs(700)
    left.repository.save(conversationOf('a', 'x'.repeat(300)), false)
    expect(left.repository.save(conversationOf('b', 'y'.repeat(300)), false)).toBe(false)
    expect(left.repository.remove(['a'])).toBe(true)
    expect(storedIds(browser)).toEqual(['b'])
  })

  test('opens the warning once, not for every piece of a streaming answer', () => {
    const { left, tabs } = openTwoTabs(400)
    left.repository.save(conversationOf('a', 'x'.repeat(500)), true)
    const openedCount = tabs[0].fullCount()
    left.repository.saveDraft(conversationOf('a', 'x'.repeat(500), 'one'), true)
    left.repository.saveDraft(conversationOf('a', 'x'.repeat(500), 'one two'), true)
    left.review()
    expect(tabs[0].fullCount()).toBe(openedCount)
    expect(left.overflowed.at(-1)?.messages[1]?.content).toBe('one two')
  })

  test('does not open the warning again when another tab writes', () => {
    const setting = openTwoTabs(400)
    const { left, right, tabs } = setting
    left.repository.snapshot()
    left.repository.save(conversationOf('a', 'x'.repeat(500)), false)
    right.repository.save(conversationOf('b', 'small'), false)
    settle(setting)
    expect(tabs[0].fullCount()).toBe(1)
  })

  test('rethrows an error of another kind', () => {
    const { left, browser } = openTwoTabs()
    left.repository.snapshot()
    browser.area.setItem = () => {
      throw new TypeError('broken')
    }
    expect(() => left.repository.save(conversationOf('a', 'text'), false)).toThrow(TypeError)
  })
})

describe('damaged data', () => {
  test('that is not JSON is set aside, and the next save starts a new list', () => {
    const { left, browser } = openTwoTabs()
    browser.area.setItem(HISTORY, '[{"id":"a","mess')
    expect(left.repository.snapshot()).toEqual([])
    left.repository.save(conversationOf('b', 'text'), false)
    expect(browser.area.getItem(`${HISTORY}.damaged.1`)).toBe('[{"id":"a","mess')
    expect(storedIds(browser)).toEqual(['b'])
  })

  test('among valid conversations is set aside alone', () => {
    const { left, browser } = openTwoTabs()
    browser.area.setItem(HISTORY, JSON.stringify([conversationOf('a', 'text'), { id: 7 }, 'foreign']))
    expect(ids(left.repository.snapshot())).toEqual(['a'])
    expect(browser.area.getItem(`${HISTORY}.damaged.1`)).toBe('[{"id":7},"foreign"]')
  })

  test('in the selected copy is set aside', () => {
    const { left, browser } = openTwoTabs()
    browser.area.setItem(SELECTED, '{"id":')
    left.repository.save(conversationOf('a', 'text'), true)
    expect(browser.area.getItem(`${SELECTED}.damaged.1`)).toBe('{"id":')
    expect(JSON.parse(browser.area.getItem(SELECTED) ?? '').id).toBe('a')
  })

  test('is not overwritten when there is no room left to set it aside', () => {
    const { left, browser, tabs } = openTwoTabs()
    for (let copy = 1; copy <= 5; copy += 1) browser.area.setItem(`${HISTORY}.damaged.${copy}`, `old ${copy}`)
    browser.area.setItem(HISTORY, 'sixth')
    expect(left.repository.save(conversationOf('a', 'text'), false)).toBe(false)
    expect(browser.area.getItem(HISTORY)).toBe('sixth')
    expect(tabs[0].fullCount()).toBeGreaterThan(0)
  })

  test('that fills the disk stays in place until there is room', () => {
    const { left, browser } = openTwoTabs(1_000)
    browser.area.setItem(HISTORY, `[${'x'.repeat(1_000 - HISTORY.length - 1)}`)
    const before = browser.area.getItem(HISTORY)
    expect(usedSize(browser.area)).toBe(1_000)
    expect(left.repository.save(conversationOf('a', 'text'), false)).toBe(false)
    expect(browser.area.getItem(HISTORY)).toBe(before)
  })
})

describe('the selected copy', () => {
  test('alone is written during a streaming answer', () => {
    const { left, browser } = openTwoTabs()
    left.repository.save(conversationOf('a', 'question'), true)
    const listBefore = browser.area.getItem(HISTORY)
    left.repository.saveDraft(conversationOf('a', 'question', 'half an ans'), true)
    expect(browser.area.getItem(HISTORY)).toBe(listBefore)
    expect(browser.area.getItem(SELECTED)).toContain('half an ans')
  })

  test('is written for a question, and the list follows in a review or when the page is left', () => {
    const { left, browser } = openTwoTabs()
    left.repository.save(conversationOf('a', 'first'), true)
    expect(browser.area.getItem(HISTORY)).toBeNull()
    expect(browser.area.getItem(SELECTED)).toContain('first')
    left.review()
    expect(browser.area.getItem(HISTORY)).toContain('first')
    left.repository.save(conversationOf('a', 'first', 'second'), true)
    expect(browser.area.getItem(HISTORY)).not.toContain('second')
    left.repository.listSelected()
    expect(browser.area.getItem(HISTORY)).toContain('second')
  })

  test('that later has no room in the list is archived', () => {
    const { left } = openTwoTabs(1_000)
    expect(left.repository.save(conversationOf('a', 'x'.repeat(500)), true)).toBe(true)
    left.review()
    expect(left.overflowed.map(({ id }) => id)).toEqual(['a'])
  })

  test('restores the last part of an answer after the page crashed', () => {
    const { left, browser, now } = openTwoTabs()
    left.repository.save(conversationOf('a', 'question'), true)
    left.repository.saveDraft(conversationOf('a', 'question', 'half an ans'), true)
    const reopened = openConversations(browser.openTab(), now)
    expect(reopened.repository.get('a')?.messages).toHaveLength(2)
  })

  test('of another tab is written to the list before it is replaced', () => {
    const { left, right, browser } = openTwoTabs()
    right.repository.save(conversationOf('b', 'question'), false)
    left.repository.save(conversationOf('a', 'question'), true)
    left.repository.saveDraft(conversationOf('a', 'question', 'half an ans'), true)
    right.repository.saveDraft(conversationOf('b', 'question', 'another'), true)
    expect(browser.area.getItem(HISTORY)).toContain('half an ans')
    expect(browser.area.getItem(SELECTED)).toContain('another')
  })

  test('is written to the list before a new chat clears it', () => {
    const { left, browser } = openTwoTabs()
    left.repository.save(conversationOf('a', 'question'), true)
    left.repository.saveDraft(conversationOf('a', 'question', 'half an ans'), true)
    left.repository.select(null)
    expect(browser.area.getItem(HISTORY)).toContain('half an ans')
    expect(browser.area.getItem(SELECTED)).toBeNull()
  })
})

describe('two tabs', () => {
  test('keep both conversations if both write before hearing of each other', () => {
    const setting = openTwoTabs()
    setting.left.repository.snapshot()
    setting.right.repository.snapshot()
    setting.left.repository.save(conversationOf('a', 'left'), true)
    setting.right.repository.save(conversationOf('b', 'right'), true)
    expect(storedIds(setting.browser)).toEqual(['a', 'b'])
  })

  test('keep what one wrote into the copy while the other was frozen, and heard of nothing', () => {
    const { left, right, browser, now } = openTwoTabs()
    const question = { role: 'user' as const, id: 'q', content: 'Why?' }
    const answer = { role: 'assistant' as const, id: 'a', content: 'Because.' }
    const asked = { ...conversationOf('a'), messages: [question] }
    left.repository.save(asked, true)
    right.repository.saveDraft({ ...asked, messages: [question, answer] }, true)
    left.repository.save({ ...asked, title: 'renamed' }, true)
    const reopened = openConversations(browser.openTab(), now)
    expect(reopened.repository.get('a')).toMatchObject({ title: 'renamed', messages: [question, answer] })
  })

  test('restore a conversation that a racing write dropped', () => {
    const setting = openTwoTabs()
    setting.left.repository.save(conversationOf('a', 'left'), false)
    setting.browser.area.setItem(HISTORY, JSON.stringify([conversationOf('b', 'right')]))
    setting.left.review()
    expect(storedIds(setting.browser)).toEqual(['a', 'b'])
  })

  test('do not restore a conversation that the other one deleted', () => {
    const setting = openTwoTabs()
    setting.left.repository.save(conversationOf('a', 'text'), false)
    settle(setting)
    expect(ids(setting.right.repository.snapshot())).toEqual(['a'])
    setting.left.repository.remove(['a'])
    setting.right.repository.save(conversationOf('b', 'text'), false)
    settle(setting)
    expect(ids(setting.right.repository.snapshot())).toEqual(['b'])
    expect(storedIds(setting.browser)).toEqual(['b'])
  })

  test('drop a streaming answer whose conversation was deleted', () => {
    const setting = openTwoTabs()
    setting.left.repository.save(conversationOf('a', 'question'), true)
    settle(setting)
    setting.right.repository.snapshot()
    setting.right.repository.remove(['a'])
    settle(setting)
    setting.left.repository.saveDraft(conversationOf('a', 'question', 'answer'), true)
    settle(setting)
    expect(setting.left.repository.snapshot()).toEqual([])
    expect(setting.browser.area.getItem(HISTORY)).toBe('[]')
  })

  test('both see a message again after its removal was undone', () => {
    const setting = openTwoTabs()
    const { left, right } = setting
    const whole = { ...conversationOf('a'), messages: [{ role: 'user' as const, id: 'q', content: 'Why?' }] }
    left.repository.save(whole, false)
    settle(setting)
    left.repository.save({ ...whole, ...left.repository.get('a'), messages: [] }, false)
    settle(setting)
    expect(right.repository.get('a')?.messages).toEqual([])
    left.repository.save(whole, false)
    settle(setting)
    expect(right.repository.get('a')?.messages).toMatchObject(whole.messages)
  })

  test('both see a conversation whose deletion was undone', () => {
    const setting = openTwoTabs()
    setting.left.repository.save(conversationOf('a', 'text'), false)
    const [saved] = setting.left.repository.snapshot()
    settle(setting)
    setting.left.repository.remove(['a'])
    settle(setting)
    if (saved) setting.left.repository.restore([saved])
    settle(setting)
    expect(ids(setting.right.repository.snapshot())).toEqual(['a'])
  })

  test('forget everything when the other one cleared the storage', () => {
    const setting = openTwoTabs()
    setting.left.repository.save(conversationOf('a', 'text'), false)
    setting.left.repository.onOtherTab(null, null)
    expect(setting.left.repository.snapshot()).toEqual([])
  })

  test('lose nothing, whatever they do and however late their events arrive', () => {
    const step = fc.record({
      tab: fc.constantFrom('left' as const, 'right' as const),
      act: fc.constantFrom('save', 'draft', 'select', 'new', 'remove', 'deliver', 'review'),
      id: fc.constantFrom('a', 'b', 'c', 'd'),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), steps => {
        const setting = openTwoTabs()
        const expected = new Map<string, string>()
        steps.forEach(({ tab, act, id }, index) => {
          const { repository, review } = setting[tab]
          if (act === 'deliver') setting.browser.deliver()
          else if (act === 'review') review()
          else if (act === 'select') repository.select(id)
          else if (act === 'new') repository.select(null)
          else if (act === 'remove') {
            if (repository.get(id)) expected.delete(id)
            if (repository.get(id)) repository.remove([id])
          } else {
            const conversation = conversationOf(id, `step ${index}`)
            if (act === 'draft' && !repository.get(id)) return
            if (act === 'save') repository.save(conversation, index % 2 === 0)
            else repository.saveDraft(conversation, true)
            if (repository.get(id)?.messages[0]?.content === `step ${index}`)
              expected.set(id, `step ${index}`)
          }
        })
        const reopen = () => openConversations(setting.browser.openTab(), setting.now).repository.snapshot()
        // Both tabs may crash at once, before either has received the other's events.
        const afterCrash = reopen().map(({ id, messages }) => [id, messages[0]?.content])
        expect(new Map(afterCrash.map(([id, text]) => [id, text]))).toEqual(expected)
        settle(setting)
        const reopened = reopen()
        expect(reopened.map(({ id }) => id)).toEqual(afterCrash.map(([id]) => id))
        expect(setting.left.repository.snapshot()).toEqual(reopened)
        expect(setting.right.repository.snapshot()).toEqual(reopened)
      }),
      { numRuns: 500 },
    )
  })
})
