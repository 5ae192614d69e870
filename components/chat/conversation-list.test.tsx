/** @jest-environment jsdom */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { renderInEnglish } from '@/components/account/testing'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { selectedConversationStore } from '@/lib/local/conversations/selected-conversation-store'
import { noticeStore } from '@/lib/local/notice/notice-store'

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

test('the list is one stop for Tab: what is shown, then what had the focus last', () => {
  expect(tabStops()).toEqual([link('Second')])
  act(() => link('First').focus())
  expect(tabStops()).toEqual([link('First')])
})

test('arrows, Home and End move between rows, and sideways to what can be done with one', () => {
  act(() => link('Second').focus())
  const steps = ['ArrowDown', 'ArrowDown', 'Home', 'ArrowUp', 'End', 'ArrowUp', 'ArrowRight', 'ArrowRight']
  const names = steps.map(key => {
    act(() => void press(key))
    return focused()?.getAttribute('aria-label') ?? focused()?.textContent
  })
  expect(names).toEqual(['First', 'First', 'Third', 'Third', 'First', 'Second', 'Rename', 'Delete'])
  expect(focused()?.closest('li')).toBe(link('Second').closest('li'))
})

test('F2 renames, and the row has the focus again', async () => {
  act(() => link('Second').focus())
  act(() => void press('F2'))
  expect(focused()).toBe(screen.getByRole('textbox', { name: 'Title' }))
  fireEvent.change(screen.getByRole('textbox', { name: 'Title' }), { target: { value: 'Other' } })
  await act(async () => void press('Enter'))
  await waitFor(() => expect(focused()).toBe(link('Other')))
})

test('Delete gives the focus to the next row, and undoing it gives it back', async () => {
  act(() => link('Second').focus())
  await act(async () => void press('Delete'))
  expect(screen.queryByRole('link', { name: 'Second' })).toBeNull()
  expect(focused()).toBe(link('First'))
  await act(async () => noticeStore.getSnapshot().action?.run())
  await waitFor(() => expect(focused()).toBe(link('Second')))
})

test('the last row that goes leaves the focus to the one before it, and the only one to the box', async () => {
  act(() => link('First').focus())
  await act(async () => void press('Delete'))
  expect(focused()).toBe(link('Second'))
  await act(async () => void press('Delete'))
  expect(focused()).toBe(link('Third'))
  await act(async () => void press('Delete'))
  await waitFor(() => expect(focused()).toBe(screen.getByRole('textbox', { name: 'Message' })))
})

test('an opened conversation is written on: the box has the focus', async () => {
  await act(async () => void fireEvent.click(link('Third')))
  await waitFor(() => expect(focused()).toBe(screen.getByRole('textbox', { name: 'Message' })))
  expect(selectedConversationStore.selectedId()).toBe(idOf('Third'))
})

test('what was searched for is marked where it was found, once', async () => {
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

test('what a search finds, or that it finds nothing, is announced', async () => {
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
