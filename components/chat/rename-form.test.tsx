/** @jest-environment jsdom */
import { afterEach, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen } from '@testing-library/react'
import { historyStore } from '@/lib/local/archive/history-store'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { renderInEnglish } from '@/test/support/render'
import { RenameForm } from './rename-form'

afterEach(cleanup)

test('the whole title is selected on opening, and not again while typing', () => {
  renderInEnglish(<RenameForm id="a" title="Heat pumps" onDone={jest.fn()} />)
  const field = screen.getByRole<HTMLInputElement>('textbox', { name: 'Title' })
  const selected = () => field.value.slice(field.selectionStart ?? 0, field.selectionEnd ?? 0)
  expect(document.activeElement).toBe(field)
  expect(selected()).toBe('Heat pumps')
  fireEvent.change(field, { target: { value: 'Pumps' } })
  expect(selected()).toBe('')
})

test('an archive that cannot be read is told, and the field closes', async () => {
  const report = jest.fn()
  Reflect.set(globalThis, 'reportError', report)
  jest.spyOn(historyStore, 'open').mockRejectedValue(new Error('The archive is damaged'))
  const onDone = jest.fn()
  renderInEnglish(<RenameForm id="archived" title="Heat pumps" onDone={onDone} />)
  const field = screen.getByRole('textbox', { name: 'Title' })
  fireEvent.change(field, { target: { value: 'Pumps' } })
  await act(async () => fireEvent.keyDown(field, { key: 'Enter' }))
  expect(onDone).toHaveBeenCalledWith(true)
  expect(noticeStore.getSnapshot().text).toMatch(/could not be read from this browser’s archive/)
  expect(report).toHaveBeenCalledTimes(1)
})
