/** @jest-environment jsdom */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { NextIntlClientProvider } from 'next-intl'
import { noticeStore } from '@/lib/local/notice/notice-store'
import en from '@/messages/en.json'
import { Notice } from './notice'

function show() {
  render(
    <NextIntlClientProvider locale="en" messages={en}>
      <Notice />
    </NextIntlClientProvider>,
  )
}

beforeEach(() => {
  jest.useFakeTimers()
})

afterEach(() => {
  cleanup()
  noticeStore.update({ hidden: true, icon: 'info', text: '', action: undefined })
  jest.useRealTimers()
})

test('the notice starts hidden, in a region that screen readers listen to', () => {
  show()
  expect(screen.getByRole('status').textContent).toBe('')
})

test('an update shows text and icon, and another one changes them', () => {
  show()
  act(() => noticeStore.update({ hidden: false, icon: 'success', text: 'Saved' }))
  expect(screen.getByRole('status').textContent).toContain('Saved')
  act(() => noticeStore.update({ text: 'Saved twice' }))
  expect(screen.getByRole('status').textContent).toContain('Saved twice')
  act(() => noticeStore.update({ hidden: true }))
  expect(screen.getByRole('status').textContent).toBe('')
})

test('it goes away by itself, but not while it is pointed at', () => {
  show()
  act(() => noticeStore.show('info', 'Deleted'))
  fireEvent.pointerEnter(screen.getByText('Deleted'))
  act(() => {
    jest.advanceTimersByTime(60_000)
  })
  expect(screen.getByRole('status').textContent).toContain('Deleted')
  fireEvent.pointerLeave(screen.getByText('Deleted'))
  act(() => {
    jest.advanceTimersByTime(60_000)
  })
  expect(screen.getByRole('status').textContent).toBe('')
})

test('its action runs on a click', () => {
  show()
  const run = jest.fn()
  act(() => noticeStore.show('info', 'Deleted', { label: 'Undo', run }))
  fireEvent.click(screen.getByRole('button', { name: 'Undo' }))
  expect(run).toHaveBeenCalledTimes(1)
})

test('a notice without an action does not inherit the one before', () => {
  show()
  act(() => noticeStore.show('info', 'Deleted', { label: 'Undo', run: () => undefined }))
  act(() => noticeStore.show('info', 'Copied'))
  expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull()
})
