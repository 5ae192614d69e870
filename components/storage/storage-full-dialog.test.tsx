/** @jest-environment jsdom */
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { storageFullStore } from '@/lib/local/storage/storage-full-store'
import { conversationOf } from '@/lib/local/testing'
import { renderInEnglish, stubDialogs } from '@/test/support/render'
import { StorageFullDialog } from './storage-full-dialog'

beforeEach(() => {
  stubDialogs()
  renderInEnglish(<StorageFullDialog />)
})

afterEach(() => {
  cleanup()
  storageFullStore.close()
})

test('the warning is closed at first, opens, and closes on request', () => {
  expect(screen.queryByRole('dialog', { name: 'Storage full' })).toBeNull()
  act(storageFullStore.open)
  expect(screen.getByRole('dialog', { name: 'Storage full' })).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Close' }))
  expect(screen.queryByRole('dialog', { name: 'Storage full' })).toBeNull()
})

test('deleting data that could not be read moves the focus to the heading of the dialog', async () => {
  localStorage.setItem('settings.damaged.1', '{"theme":')
  act(storageFullStore.open)
  const remove = screen.getByRole('button', { name: 'Delete it here' })
  remove.focus()
  fireEvent.click(remove)
  expect(localStorage.getItem('settings.damaged.1')).toBeNull()
  expect(remove.isConnected).toBe(false)
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('heading', { level: 2 })))
})

test('the dialog shows the used space, and can archive, export and delete conversations, and bring them back', async () => {
  await act(async () => {
    conversationStore.saveConversation({ ...conversationOf('a', 'x'.repeat(50_000)), title: 'Long one' })
    conversationStore.saveConversation({ ...conversationOf('b', 'x'), title: 'Short one' })
    storageFullStore.open()
  })
  expect(screen.getByRole('meter', { name: 'Local storage' }).getAttribute('aria-valuetext')).toContain(
    'of 5.2 MB used',
  )
  expect(screen.getByRole('button', { name: 'Move older chats to the archive' })).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Export to a file' })).toBeTruthy()
  const remove = (title: string) =>
    act(async () => void fireEvent.click(screen.getByRole('button', { name: `Delete “${title}”` })))
  await remove('Long one')
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Delete “Short one”' }))
  await remove('Short one')
  expect(conversationStore.getSnapshot()).toEqual([])
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('heading', { level: 2 })))
  expect(noticeStore.getSnapshot()).toMatchObject({ hidden: false, text: 'Chat deleted' })
  await act(async () => noticeStore.getSnapshot().action?.run())
  expect(conversationStore.getSnapshot().map(({ title }) => title)).toEqual(['Short one'])
})
