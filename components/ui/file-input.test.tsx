/** @jest-environment jsdom */
import { afterEach, expect, jest, test } from '@jest/globals'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { FileInput } from './file-input'

afterEach(cleanup)

test('the chosen files are handed on, and the choice is emptied: the same file can be chosen again', () => {
  const choice = jest.spyOn(HTMLInputElement.prototype, 'value', 'set')
  const onFiles = jest.fn()
  render(<FileInput aria-label="Files" onFiles={onFiles} />)
  const file = new File(['text'], 'notes.txt')
  fireEvent.change(screen.getByLabelText('Files'), { target: { files: [file] } })
  expect(onFiles).toHaveBeenCalledWith([file])
  expect(choice.mock.calls).toEqual([['']])
})
