/** @jest-environment jsdom */
import { afterEach, expect, jest, test } from '@jest/globals'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { Menu } from './menu'

afterEach(() => {
  cleanup()
  jest.restoreAllMocks()
})

test.each([
  ['the page scrolls', () => fireEvent.scroll(document)],
  ['the window changes', () => fireEvent(window, new Event('resize'))],
])('a menu that closes because %s returns the focus to its button', (_why, happen) => {
  render(<Menu label="More" icon={null} items={() => [{ label: 'Quote', onChoose: () => {} }]} />)
  const button = screen.getByRole('button', { name: 'More' })
  fireEvent.click(button)
  expect(document.activeElement).toBe(screen.getByRole('menuitem', { hidden: true }))
  happen()
  expect(screen.queryByRole('menuitem', { hidden: true })).toBeNull()
  expect(document.activeElement).toBe(button)
})

test('a menu stays open while something else scrolls, such as the chat that follows an answer', () => {
  render(
    <>
      <ul />
      <Menu label="More" icon={null} items={() => [{ label: 'Quote', onChoose: () => {} }]} />
    </>,
  )
  fireEvent.click(screen.getByRole('button', { name: 'More' }))
  fireEvent.scroll(screen.getByRole('list'))
  expect(screen.queryByRole('menuitem', { hidden: true })).not.toBeNull()
})

test.each([
  ['below its button', { windowHeight: 800, buttonBottom: 100 }, 104],
  ['above it if it would end below the window', { windowHeight: 800, buttonBottom: 780 }, 582],
  ['inside the window if there is no room on either side', { windowHeight: 256, buttonBottom: 163 }, 98],
])('a menu opens %s', (_where, { windowHeight, buttonBottom }, expectedTop) => {
  const height = 154
  jest.replaceProperty(window, 'innerHeight', windowHeight)
  jest.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function (this: Element) {
    const isMenu = this.getAttribute('role') === 'menu'
    return isMenu ? new DOMRect(0, 0, 100, height) : new DOMRect(20, buttonBottom - 40, 40, 40)
  })
  render(<Menu label="More" icon={null} items={() => [{ label: 'Quote', onChoose: () => {} }]} />)
  fireEvent.click(screen.getByRole('button', { name: 'More' }))
  expect(screen.getByRole('menu', { hidden: true }).style.top).toBe(`${expectedTop}px`)
})
