/** @jest-environment jsdom */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import { NextIntlClientProvider } from 'next-intl'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { en } from '@/test/support/messages'
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

test('a notice that exists at start appears after its live region, so that it is announced', () => {
  noticeStore.show('info', 'Deleted')
  show()
  pass(100)
  expect(screen.getByRole('status').textContent).toBe('')
  pass(100)
  expect(screen.getByRole('status').textContent).toContain('Deleted')
})

const pass = (milliseconds: number) =>
  act(() => {
    jest.advanceTimersByTime(milliseconds)
  })

test('the notice disappears by itself, later if a pointer moves over it', () => {
  show()
  act(() => noticeStore.show('info', 'Deleted'))
  pass(5_000)
  fireEvent.pointerMove(screen.getByText('Deleted'))
  pass(5_000)
  expect(screen.getByRole('status').textContent).toContain('Deleted')
  pass(60_000)
  expect(screen.getByRole('status').textContent).toBe('')
})

test('the notice waits for whoever is on the way to it by Tab', () => {
  show()
  act(() => noticeStore.show('info', 'Deleted', { label: 'Undo', run: () => undefined }))
  for (let presses = 0; presses < 30; presses += 1) {
    pass(1_000)
    fireEvent.keyDown(document.body, { key: 'Tab' })
  }
  expect(screen.getByRole('button', { name: 'Undo' })).toBeTruthy()
  pass(60_000)
  expect(screen.getByRole('status').textContent).toBe('')
})

test('the notice stays while it has the focus, and the next notice does not', () => {
  show()
  act(() => noticeStore.show('info', 'Deleted'))
  act(() => screen.getByRole('button', { name: 'Close' }).focus())
  pass(60_000)
  fireEvent.click(screen.getByRole('button', { name: 'Close' }))
  expect(screen.getByRole('status').textContent).toBe('')
  act(() => noticeStore.show('info', 'Copied'))
  expect(screen.getByRole('status').textContent).toBe('Copied')
  pass(60_000)
  expect(screen.getByRole('status').textContent).toBe('')
})

test('while a dialog is open, the notice is inside it, and only there', async () => {
  show()
  const dialog = document.body.appendChild(document.createElement('dialog'))
  await act(async () => dialog.setAttribute('open', ''))
  act(() => noticeStore.show('info', 'Deleted', { label: 'Undo', run: () => undefined }))
  expect(within(dialog).getByRole('button', { name: 'Undo' })).toBeTruthy()
  expect(screen.getAllByRole('status')).toHaveLength(1)
  await act(async () => dialog.removeAttribute('open'))
  expect(within(dialog).queryByRole('status')).toBeNull()
  expect(screen.getByRole('status').textContent).toContain('Deleted')
  dialog.remove()
})

test('a notice that had the focus in a dialog disappears by itself after the dialog has closed', async () => {
  show()
  const dialog = document.body.appendChild(document.createElement('dialog'))
  await act(async () => dialog.setAttribute('open', ''))
  act(() => noticeStore.show('info', 'Your balance is low', { label: 'Unlock', run: () => undefined }))
  act(() => screen.getByRole('button', { name: 'Unlock' }).focus())
  await act(async () => dialog.removeAttribute('open'))
  expect(screen.getByRole('status').textContent).toContain('Your balance is low')
  pass(60_000)
  expect(screen.getByRole('status').textContent).toBe('')
  dialog.remove()
})

test('the notice moves to the other end of the window if it would cover the focused element', () => {
  show()
  act(() => noticeStore.show('info', 'May it count?', { label: 'Allow', run: () => undefined }))
  const region = screen.getByRole('status')
  const place = (top: number) => () => ({ x: 16, y: top, width: 300, height: 40 }) as DOMRect
  const shown = region.firstElementChild
  if (shown) shown.getBoundingClientRect = () => ({ left: 0, right: 390, top: 60, bottom: 160 }) as DOMRect
  const [above, below] = [80, 400].map(top => {
    const field = document.body.appendChild(document.createElement('input'))
    field.getBoundingClientRect = place(top)
    return field
  })
  const focus = (field: HTMLElement | undefined) => {
    act(() => field?.focus())
    pass(50)
  }
  focus(below)
  expect(region.dataset.low).toBeUndefined()
  focus(above)
  expect(region.dataset.low).toBe('true')
  act(() => noticeStore.hide())
  expect(region.dataset.low).toBeUndefined()
  above?.remove()
  below?.remove()
})

test('the action of a notice runs on a click', () => {
  show()
  const run = jest.fn()
  act(() => noticeStore.show('info', 'Deleted', { label: 'Undo', run }))
  fireEvent.click(screen.getByRole('button', { name: 'Undo' }))
  expect(run).toHaveBeenCalledTimes(1)
})

test('a notice without an action does not keep the action of the previous one', () => {
  show()
  act(() => noticeStore.show('info', 'Deleted', { label: 'Undo', run: () => undefined }))
  act(() => noticeStore.show('info', 'Copied'))
  expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull()
})

test('a longer notice stays longer', () => {
  show()
  act(() => noticeStore.show('warning', 'word '.repeat(60)))
  pass(17_000)
  expect(screen.getByRole('status').textContent).not.toBe('')
  pass(2_000)
  expect(screen.getByRole('status').textContent).toBe('')
})
