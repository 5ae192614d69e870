/** @jest-environment jsdom */
import 'fake-indexeddb/auto'
import { expect, jest, test } from '@jest/globals'
import { act, screen } from '@testing-library/react'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { complaints } from '@/test/support/complaints'
import { renderInEnglish } from '@/test/support/render'

jest.unstable_mockModule('@/components/notice/notice', (): never => {
  throw new Error('Failed to fetch dynamically imported module')
})
jest.unstable_mockModule('@/components/storage/storage-provider', () => ({ StorageProvider: LookedAfter }))
const { BrowserData } = await import('./browser-data')

function LookedAfter() {
  return <p>Looked after</p>
}

test('a notice is announced even if its code cannot be loaded', async () => {
  await act(async () => renderInEnglish(<BrowserData />))
  await act(async () => noticeStore.show('warning', 'notes.txt was not attached.'))
  expect(screen.getByRole('alert').textContent).toBe('notes.txt was not attached.')
  act(() => noticeStore.hide())
  expect(screen.queryByRole('alert')).toBeNull()
})

test('a first conversation in another tab starts the storage checks in this one', async () => {
  await act(async () => renderInEnglish(<BrowserData />))
  expect(screen.queryByText('Looked after')).toBeNull()
  const written = { key: 'conversationHistory', newValue: '[]', storageArea: localStorage }
  await act(async () => window.dispatchEvent(new StorageEvent('storage', written)))
  expect(await screen.findByText('Looked after')).toBeTruthy()
})

test('when another tab deletes everything, this tab clears its session data and reloads', async () => {
  sessionStorage.setItem('drafts', '[["new",{"text":"A word of my own","pictureUrls":[]}]]')
  await act(async () => renderInEnglish(<BrowserData />))
  await act(async () => {
    window.dispatchEvent(new StorageEvent('storage', { key: 'credit_id', storageArea: localStorage }))
  })
  expect(sessionStorage).toHaveLength(1)
  await act(async () => {
    window.dispatchEvent(new StorageEvent('storage', { key: null, storageArea: localStorage }))
  })
  expect(sessionStorage).toHaveLength(0)
  // jsdom's message for a navigation.
  expect(complaints.splice(0)).toEqual([expect.stringContaining('Not implemented: navigation')])
})
