/** @jest-environment jsdom */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { cleanup, fireEvent, screen } from '@testing-library/react'
import { useState } from 'react'
import { renderInEnglish, stubDialogs } from '@/test/support/render'
import { Dialog } from './dialog'

beforeEach(stubDialogs)
afterEach(cleanup)

test.each([
  ['closes the dialog in an empty search field, where Safari would only clear it', '', {}, 1],
  ['only clears a search field with text', 'penny', {}, 0],
  ['only leaves the input method', '', { keyCode: 229 }, 0],
])('Escape %s', (_, text, key, closeCount) => {
  const onClose = jest.fn()
  renderInEnglish(
    <Dialog open onClose={onClose} title="Models">
      <input type="search" defaultValue={text} />
    </Dialog>,
  )
  fireEvent.keyDown(screen.getByRole('searchbox'), { key: 'Escape', ...key })
  expect(onClose).toHaveBeenCalledTimes(closeCount)
})

test.each([
  ['closes the dialog', 'dialog', 1],
  ['ends a selection of text that began inside, and closes nothing', 'textbox', 0],
])('a click outside %s', (_, pressed, closeCount) => {
  const onClose = jest.fn()
  renderInEnglish(
    <Dialog open onClose={onClose} title="New prompt">
      <textarea />
    </Dialog>,
  )
  fireEvent.pointerDown(screen.getByRole(pressed))
  fireEvent.click(screen.getByRole('dialog'))
  expect(onClose).toHaveBeenCalledTimes(closeCount)
})

function Models() {
  const [isOpen, setOpen] = useState(true)
  return (
    <Dialog open={isOpen} onClose={() => setOpen(false)} title="Models">
      Penny
    </Dialog>
  )
}

test('whoever goes back leaves the dialog with the page that it was opened on', () => {
  renderInEnglish(<Models />)
  expect(screen.getByText('Penny')).toBeTruthy()
  fireEvent.popState(window)
  expect(screen.queryByText('Penny')).toBeNull()
})
