/** @jest-environment jsdom */
import { afterEach, expect, jest, test } from '@jest/globals'
import { cleanup, fireEvent, screen } from '@testing-library/react'
import { renderInEnglish } from '@/components/account/testing'
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
