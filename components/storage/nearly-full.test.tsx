/** @jest-environment jsdom */
import 'fake-indexeddb/auto'
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen } from '@testing-library/react'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import { setAsideItem } from '@/lib/local/storage/set-aside'
import { storageFullStore } from '@/lib/local/storage/storage-full-store'
import { STORAGE_WARNING_BYTES } from '@/lib/local/storage/storage-limits'
import { conversationOf } from '@/lib/local/testing'
import { renderInEnglish, stubDialogs } from '@/test/support/render'
import { StorageProvider } from './storage-provider'

const FILLER_KEY = 'another-product'

/** Fills local storage up to this many bytes. */
function fillTo(usedBytes: number) {
  localStorage.removeItem(FILLER_KEY)
  const others = Object.entries(localStorage).reduce((sum, [key, text]) => sum + key.length + text.length, 0)
  localStorage.setItem(FILLER_KEY, 'x'.repeat(usedBytes - others - FILLER_KEY.length))
}

/** Changes a conversation, after which the size is checked with a short delay. */
async function change(text: string) {
  await act(async () => {
    conversationStore.saveConversation({ ...conversationOf('a', text), title: 'Long one' })
    await jest.advanceTimersByTimeAsync(10_000)
  })
}

beforeEach(async () => {
  stubDialogs()
  // jsdom lacks it.
  Reflect.set(globalThis, 'reportError', (error: unknown) => {
    throw error
  })
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'queueMicrotask'] })
  localStorage.clear()
  sessionStorage.clear()
  noticeStore.hide()
  await act(async () => void renderInEnglish(<StorageProvider />))
})

afterEach(() => {
  cleanup()
  jest.useRealTimers()
})

test('a warning at 90 percent appears once, and names the largest chat', async () => {
  await change('x'.repeat(50_000))
  fillTo(STORAGE_WARNING_BYTES - 2000)
  await change('x'.repeat(50_001))
  expect(noticeStore.getSnapshot().hidden).toBe(true)
  fillTo(STORAGE_WARNING_BYTES)
  await change('x'.repeat(50_002))
  const { hidden, icon, text } = noticeStore.getSnapshot()
  expect({ hidden, icon }).toEqual({ hidden: false, icon: 'warning' })
  expect(text).toBe(
    'Storage is 90% full. Once it is full, new messages can no longer be kept. The largest chat is “Long one” with 51 kB.',
  )
  noticeStore.hide()
  await change('x'.repeat(50_003))
  expect(noticeStore.getSnapshot().hidden).toBe(true)
})

test('the warning appears again after space was freed and used up', async () => {
  fillTo(STORAGE_WARNING_BYTES + 10_000)
  await change('one')
  noticeStore.hide()
  fillTo(STORAGE_WARNING_BYTES - 10_000)
  await change('two')
  fillTo(STORAGE_WARNING_BYTES + 10_000)
  await change('three')
  expect(noticeStore.getSnapshot().hidden).toBe(false)
})

test('no warning appears after the storage-full dialog was shown', async () => {
  await act(async () => storageFullStore.open())
  await act(async () => storageFullStore.close())
  fillTo(STORAGE_WARNING_BYTES + 10_000)
  await change('one')
  expect(noticeStore.getSnapshot().hidden).toBe(true)
})

test('the button of the warning shows what uses the space', async () => {
  fillTo(STORAGE_WARNING_BYTES + 10_000)
  await change('x'.repeat(50_000))
  act(() => noticeStore.getSnapshot().action?.run())
  const dialog = screen.getByRole('dialog', { name: 'Storage nearly full' })
  const parts = screen.getByRole('list', { name: 'What takes up the space' })
  expect([...parts.children].map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/^Settings and other data4\.\d MB$/),
    expect.stringMatching(/^Chats\d+ kB$/),
  ])
  expect(noticeStore.getSnapshot().hidden).toBe(true)
  fireEvent.click(screen.getByRole('button', { name: 'Carry on anyway' }))
  expect(dialog.isConnected && dialog.hasAttribute('open')).toBe(false)
})

test.each([
  ['credit_id', /does not know the credit that was stored here/],
  ['prompts', /Some stored data could not be read/],
])('what was set aside is told in words of its own: %s', async (key, words) => {
  localStorage.setItem(key, 'damaged')
  await act(async () => void setAsideItem(guardedStorage, key))
  expect(noticeStore.getSnapshot().text).toMatch(words)
})
