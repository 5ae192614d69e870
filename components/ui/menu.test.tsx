/** @jest-environment jsdom */
import { afterEach, expect, test } from '@jest/globals'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { Menu } from './menu'

afterEach(cleanup)

test.each([
  ['the page scrolls', () => fireEvent.scroll(document)],
  ['the window changes', () => fireEvent(window, new Event('resize'))],
])('a menu that closes because %s leaves the focus to its button', (_why, happen) => {
  render(<Menu label="More" icon={null} items={() => [{ label: 'Quote', onChoose: () => {} }]} />)
  const button = screen.getByRole('button', { name: 'More' })
  fireEvent.click(button)
  expect(document.activeElement).toBe(screen.getByRole('menuitem', { hidden: true }))
  happen()
  expect(screen.queryByRole('menuitem', { hidden: true })).toBeNull()
  expect(document.activeElement).toBe(button)
})
