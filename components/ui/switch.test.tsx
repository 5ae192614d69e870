/** @jest-environment jsdom */
import { expect, jest, test } from '@jest/globals'
import { fireEvent, render, screen } from '@testing-library/react'
import { Switch } from './switch'

test('the hint of a switch is its description, and can be clicked', () => {
  const onChange = jest.fn()
  render(
    <Switch label="Enter sends" hint="Shift + Enter starts a line." checked={false} onChange={onChange} />,
  )
  const hint = screen.getByText('Shift + Enter starts a line.')
  const control = screen.getByRole('switch', { name: 'Enter sends' })
  expect(document.getElementById(control.getAttribute('aria-describedby') ?? '')).toBe(hint)
  fireEvent.click(hint)
  expect(onChange).toHaveBeenCalledWith(true)
})
