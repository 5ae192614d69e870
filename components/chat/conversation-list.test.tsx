/** @jest-environment jsdom */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { selectedConversationStore } from '@/lib/local/conversations/selected-conversation-store'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { renderInEnglish } from '@/test/support/render'

jest.unstable_mockModule('@/lib/i18n/navigation', () => ({ usePathname: () => '/', Link: 'a' }))
jest.unstable_mockModule('next/navigation', () => ({ useRouter: () => ({}), usePathname: () => '/' }))

const { ConversationList } = await import('./conversation-list')

/** Newest first, as in the list. */
const TITLES = ['Third', 'Second', 'First']
/** Part of the ids, which must differ between tests: a deleted conversation stays deleted. */
let testNumber = 0
const idOf = (title: string) => `${title}-${testNumber}`

beforeEach(async () => {
  for (const { id } of conversationStore.getSnapshot()) conversationStore.deleteConversation(id)
  testNumber += 1
  for (const [index, title] of TITLES.entries()) {
    const at = new Date(Date.now() - index * 1_000).toISOString()
    const messages = [{ id: title, role: 'user' as const, content: title, created_at: at }]
    conversationStore.saveConversation({ id: idOf(title), created_at: at, messages })
  }
  selectedConversationStore.select(idOf('Second'))
  await act(
    async () =>
      void renderInEnglish(
        <>
          <main id="main" tabIndex={-1} />
          <textarea id="message-box" aria-label="Message" />
          <ConversationList />
        </>,
      ),
  )
})
afterEach(cleanup)

const link = (name: string) => screen.getByRole('link', { name })
const focused = () => document.activeElement
const press = (key: string) => fireEvent.keyDown(focused() ?? document.body, { key })
const tabStops = () =>
  screen
    .getAllByRole('listitem')
    .flatMap(row => [...row.querySelectorAll<HTMLElement>('a, button')])
    .filter(({ tabIndex }) => tabIndex === 0)

test('the list is a single Tab stop: the open conversation, then the last focused row', () => {
  expect(tabStops()).toEqual([link('Second')])
  act(() => link('First').focus())
  expect(tabStops()).toEqual([link('First')])
})

test('Up, Down, Home and End move between rows, Right to the actions of a row', () => {
  act(() => link('Second').focus())
  const steps = ['ArrowDown', 'ArrowDown', 'Home', 'ArrowUp', 'End', 'ArrowUp', 'ArrowRight', 'ArrowRight']
  const names = steps.map(key => {
    act(() => void press(key))
    return focused()?.getAttribute('aria-label') ?? focused()?.textContent
  })
  expect(names).toEqual(['First', 'First', 'Third', 'Third', 'First', 'Second', 'Rename', 'Delete'])
  expect(focused()?.closest('li')).toBe(link('Second').closest('li'))
})

test('F2 renames a conversation, and the focus returns to its row', async () => {
  act(() => link('Second').focus())
  act(() => void press('F2'))
  expect(focused()).toBe(screen.getByRole('textbox', { name: 'Title' }))
  fireEvent.change(screen.getByRole('textbox', { name: 'Title' }), { target: { value: 'Other' } })
  await act(async () => void press('Enter'))
  await waitFor(() => expect(focused()).toBe(link('Other')))
})

test('deleting focuses the next row, and undoing focuses the restored one', async () => {
  act(() => link('Second').focus())
  await act(async () => void press('Delete'))
  expect(screen.queryByRole('link', { name: 'Second' })).toBeNull()
  expect(focused()).toBe(link('First'))
  await act(async () => noticeStore.getSnapshot().action?.run())
  await waitFor(() => expect(focused()).toBe(link('Second')))
})

test('deleting the last row focuses the row before it, deleting the only row the message box', async () => {
  act(() => link('First').focus())
  await act(async () => void press('Delete'))
  expect(focused()).toBe(link('Second'))
  await act(async () => void press('Delete'))
  expect(focused()).toBe(link('Third'))
  await act(async () => void press('Delete'))
  await waitFor(() => expect(focused()).toBe(screen.getByRole('textbox', { name: 'Message' })))
})

test('opening a conversation focuses the message box', async () => {
  await act(async () => void fireEvent.click(link('Third')))
  await waitFor(() => expect(focused()).toBe(screen.getByRole('textbox', { name: 'Message' })))
  expect(selectedConversationStore.selectedId()).toBe(idOf('Third'))
})

test('the search text is highlighted once in each result', async () => {
  const createdAt = new Date().toISOString()
  const said = (role: 'user' | 'assistant', content: string) => ({
    id: role,
    role,
    content,
    created_at: createdAt,
  })
  const messages = [said('user', 'Fourth'), said('assistant', 'A fourth is second to none.')]
  act(() => conversationStore.saveConversation({ id: idOf('Fourth'), created_at: createdAt, messages }))
  fireEvent.change(screen.getByRole('searchbox'), { target: { value: 'SECO' } })
  await waitFor(() => expect(screen.getAllByRole('listitem')).toHaveLength(2))
  const marked = [...document.querySelectorAll('mark')].map(mark => mark.closest('li')?.textContent)
  expect(marked).toEqual([expect.stringContaining('A fourth is second'), expect.stringContaining('Second')])
})

test('the number of search results, or that there are none, is announced', async () => {
  const said = () => document.querySelector('[aria-live]')?.textContent
  expect(said()).toBe('')
  for (const [query, words] of [
    ['seco', '1 chat found.'],
    ['zebra', 'Nothing found for “zebra”.'],
    ['', ''],
  ]) {
    fireEvent.change(screen.getByRole('searchbox'), { target: { value: query } })
    await waitFor(() => expect(said()).toBe(words))
  }
})
