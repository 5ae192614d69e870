/** @jest-environment jsdom */
import { afterEach, expect, jest, test } from '@jest/globals'
import { cleanup, fireEvent, screen } from '@testing-library/react'
import { FOLDER_TYPE } from '@/lib/documents/domain/document-kind'
import { renderInEnglish } from '@/test/support/render'
import { DropZone } from './drop-zone'

const FILE = new File(['text'], 'notes.txt')
const item = (file: File, isDirectory = false) => ({
  getAsFile: () => file,
  webkitGetAsEntry: () => ({ isDirectory }),
})
const dragged = { dataTransfer: { types: ['Files'], items: [item(FILE)] } }
const isShown = () => screen.queryByText('Drop to attach') !== null

function show() {
  const onFiles = jest.fn()
  renderInEnglish(<DropZone onFiles={onFiles} />)
  return onFiles
}

/** jsdom's drag events have no related target. */
const leaveFor = (relatedTarget: Element | null) =>
  fireEvent(document.body, new MouseEvent('dragleave', { bubbles: true, relatedTarget }))

afterEach(cleanup)

test('files can be dropped anywhere on the page, and a hint shows while they are dragged', () => {
  const onFiles = show()
  expect(isShown()).toBe(false)
  fireEvent.dragOver(document.body, dragged)
  expect(isShown()).toBe(true)
  // The browser's own handling is prevented.
  expect(fireEvent.drop(document.body, dragged)).toBe(false)
  expect(onFiles).toHaveBeenCalledWith([FILE])
  expect(isShown()).toBe(false)
})

test('a dropped folder is recognised as a folder, whatever its reported size', () => {
  const onFiles = show()
  const folder = new File(['x'], 'notes')
  fireEvent.drop(document.body, {
    dataTransfer: { types: ['Files'], items: [item(folder, true), item(FILE)] },
  })
  expect(onFiles.mock.calls).toEqual([
    [[expect.objectContaining({ name: 'notes', type: FOLDER_TYPE }), FILE]],
  ])
})

test('the hint disappears when the drag leaves the window, not when it moves between elements', () => {
  show()
  fireEvent.dragOver(document.body, dragged)
  leaveFor(document.documentElement)
  expect(isShown()).toBe(true)
  leaveFor(null)
  expect(isShown()).toBe(false)
})

test('dragged text is left to the browser', () => {
  const onFiles = show()
  expect(fireEvent.dragOver(document.body, { dataTransfer: { types: ['text/plain'], items: [] } })).toBe(true)
  expect(fireEvent.drop(document.body, { dataTransfer: { types: ['text/plain'], items: [] } })).toBe(true)
  expect(isShown()).toBe(false)
  expect(onFiles).not.toHaveBeenCalled()
})
