/** @jest-environment jsdom */
import 'fake-indexeddb/auto'
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { act, cleanup, renderHook, waitFor } from '@testing-library/react'
import { useSyncExternalStore } from 'react'
import { archive } from '@/lib/local/archive/history-store'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { selectedConversationStore } from '@/lib/local/conversations/selected-conversation-store'
import { settingsStore } from '@/lib/local/settings/settings-store'
import { draftStore, EMPTY_DRAFT, NEW_CHAT } from './draft-store'

/** The addresses that the router reports: its own, those set through `history`, and those gone back to. */
const listeners = new Set<() => void>()
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
const tellAll = () => {
  for (const listener of listeners) listener()
}
for (const name of ['pushState', 'replaceState'] as const) {
  const original = history[name].bind(history)
  history[name] = (...state) => {
    original(...state)
    tellAll()
  }
}
addEventListener('popstate', tellAll)
jest.unstable_mockModule('next/navigation', () => ({
  usePathname: () => useSyncExternalStore(subscribe, () => location.pathname),
  useSelectedLayoutSegment: () => null,
}))

// jsdom lacks it; this is enough for conversations.
Reflect.set(globalThis, 'structuredClone', (value: unknown) => JSON.parse(JSON.stringify(value)))

/** Whether the visit has not chosen a conversation yet. */
let isVisitNew = false
const actual = await import('./select-conversation')
jest.unstable_mockModule('./select-conversation', () => ({ ...actual, beginVisit: () => isVisitNew }))
const { useConversationAddress } = await import('./use-conversation-address')
const { openConversation } = await import('./open-conversation')
const { startNewChat } = actual

async function load(address: string) {
  history.pushState(null, '', address)
  const { result, unmount } = renderHook(() => useConversationAddress())
  await act(async () => undefined)
  return { state: () => result.current, unmount }
}

const at = '2026-11-22T00:00:00.000Z'
const conversation = (id: string) => ({
  id,
  created_at: at,
  messages: [{ role: 'user' as const, id: `${id}-1`, content: id, created_at: at }],
})
const selected = () => selectedConversationStore.selectedId()
const back = () =>
  act(async () => {
    const arrived = new Promise(resolve => addEventListener('popstate', resolve, { once: true }))
    history.back()
    await arrived
  })

beforeEach(() => {
  isVisitNew = false
  for (const id of ['a', 'b']) conversationStore.saveConversation(conversation(id))
  selectedConversationStore.select(null)
})
afterEach(cleanup)

describe('an address', () => {
  test('shows its conversation, whatever this tab showed before', async () => {
    selectedConversationStore.select('a')
    const { state } = await load('/de/c/b')
    expect([selected(), state(), location.pathname]).toEqual(['b', 'shown', '/de/c/b'])
  })

  test('of an archived conversation loads it from the archive', async () => {
    await archive.put([conversation('old')])
    const { state } = await load('/c/old')
    await waitFor(() => expect(selected()).toBe('old'))
    expect([state(), location.pathname]).toEqual(['shown', '/c/old'])
  })

  test('of an unknown conversation says so, until a conversation is opened', async () => {
    selectedConversationStore.select('a')
    const { state } = await load('/c/nobody')
    await waitFor(() => expect(state()).toBe('unknown'))
    expect([selected(), location.pathname]).toEqual([null, '/c/nobody'])
    await act(async () => void selectedConversationStore.select('b'))
    expect([state(), location.pathname]).toEqual(['shown', '/c/b'])
  })

  test('of a new chat continues with the conversation that the tab showed', async () => {
    selectedConversationStore.select('a')
    const { state } = await load('/?utm_source=x')
    expect([state(), location.pathname + location.search]).toEqual(['shown', '/c/a?utm_source=x'])
  })

  test('that replaced another page while offline is a new chat', async () => {
    isVisitNew = true
    const { state } = await load('/#needs-network')
    expect([state(), selected(), location.pathname]).toEqual(['shown', null, '/'])
  })

  test('with text shared by another app is a new chat, and the shared text is added to its draft', async () => {
    draftStore.set(NEW_CHAT, { ...EMPTY_DRAFT, text: 'Half a question' })
    selectedConversationStore.select('a')
    isVisitNew = true
    await load(`/#share=${encodeURIComponent('A page\nhttps://page.example/?a=b')}`)
    expect(draftStore.get(NEW_CHAT).text).toBe('Half a question\n\nA page\nhttps://page.example/?a=b')
    expect([selected(), location.pathname, location.hash]).toEqual([null, '/', ''])
  })

  test.each([
    [false, '/c/a'],
    [true, '/'],
  ])(
    'of the home page, with the setting for a new chat at start (%s), leads to %s',
    async (isNew, address) => {
      settingsStore.update({ showNewChatOnStartup: isNew })
      // Another tab shows it.
      localStorage.setItem('selectedConversation', JSON.stringify(conversation('a')))
      isVisitNew = true
      await load('/')
      expect(location.pathname).toBe(address)
    },
  )
})

test('the first question of a new chat replaces its address, and deleting it returns to a new chat', async () => {
  await load('/')
  const { length } = history
  conversationStore.saveConversation(conversation('c'))
  await act(async () => void selectedConversationStore.select('c'))
  expect(location.pathname).toBe('/c/c')
  await act(async () => void conversationStore.deleteConversation('c'))
  expect(location.pathname).toBe('/')
  expect(history).toHaveLength(length)
})

test('back leads through the opened conversations', async () => {
  await load('/')
  await act(() => openConversation('a'))
  await act(() => openConversation('b'))
  await act(() => openConversation('b'))
  act(startNewChat)
  expect([selected(), location.pathname]).toEqual([null, '/'])
  await back()
  expect([selected(), location.pathname]).toEqual(['b', '/c/b'])
  await back()
  expect([selected(), location.pathname]).toEqual(['a', '/c/a'])
  await back()
  expect([selected(), location.pathname]).toEqual([null, '/'])
})

test('on another page, opening a conversation does not change the address', async () => {
  const { unmount } = await load('/')
  unmount()
  history.pushState(null, '', '/account')
  await openConversation('a')
  expect([selected(), location.pathname]).toEqual(['a', '/account'])
})
