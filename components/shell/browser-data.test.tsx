/** @jest-environment jsdom */
import 'fake-indexeddb/auto'
import { expect, jest, test } from '@jest/globals'
import { act, screen } from '@testing-library/react'
import { renderInEnglish } from '@/components/account/testing'
import { noticeStore } from '@/lib/local/notice/notice-store'

jest.unstable_mockModule('@/components/notice/notice', (): never => {
  throw new Error('Failed to fetch dynamically imported module')
})
const { BrowserData } = await import('./browser-data')

test('what is said without a network is read, also when it is the first thing said', async () => {
  await act(async () => renderInEnglish(<BrowserData />))
  await act(async () => noticeStore.show('warning', 'notes.txt was not attached.'))
  expect(screen.getByRole('alert').textContent).toBe('notes.txt was not attached.')
  act(() => noticeStore.hide())
  expect(screen.queryByRole('alert')).toBeNull()
})
