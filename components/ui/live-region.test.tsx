/** @jest-environment jsdom */
import { afterEach, expect, jest, test } from '@jest/globals'
import { act, cleanup, render, screen } from '@testing-library/react'
import { LiveRegion } from './live-region'
import { Status } from './status'

afterEach(() => {
  jest.useRealTimers()
  cleanup()
})

test('a region that is rendered together with its text shows it once screen readers know the region', () => {
  jest.useFakeTimers()
  const { container, rerender } = render(<LiveRegion>Two models are answering.</LiveRegion>)
  expect(container.textContent).toBe('')
  act(() => jest.advanceTimersByTime(1_000))
  expect(container.textContent).toBe('Two models are answering.')
  rerender(<LiveRegion>Answered.</LiveRegion>)
  expect(container.textContent).toBe('Answered.')
})

test('what is announced later is an element of its own, so that a screen reader that is behind reads each text once', () => {
  const { rerender } = render(<LiveRegion>{''}</LiveRegion>)
  rerender(<LiveRegion>The answer has begun.</LiveRegion>)
  const first = screen.getByText('The answer has begun.')
  rerender(<LiveRegion>Answer: Hello.</LiveRegion>)
  const second = screen.getByText('Answer: Hello.')
  expect(second).not.toBe(first)
  expect(first.isConnected).toBe(false)
  expect(first.textContent).toBe('The answer has begun.')
  // Such a region is read as it is by then, not as it was.
  expect(second.closest('[aria-live]')?.getAttribute('aria-atomic')).toBeNull()
})

test('a status that is rendered together with its text shows it once screen readers know the status', () => {
  jest.useFakeTimers()
  const { container } = render(<Status>We sent a code.</Status>)
  expect(container.querySelector('[data-waiting]')?.textContent).toBe('We sent a code.')
  act(() => jest.advanceTimersByTime(1_000))
  expect(container.querySelector('[data-waiting]')).toBeNull()
})
