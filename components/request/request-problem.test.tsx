/** @jest-environment jsdom */
import { afterEach, expect, jest, test } from '@jest/globals'
import { cleanup, render, screen } from '@testing-library/react'
import { NextIntlClientProvider } from 'next-intl'
import { en } from '@/test/support/messages'
import { RequestProblem } from './request-problem'

afterEach(cleanup)

/** What could not be fetched. Returns how it can be after all. */
function renderProblem() {
  const page = (errorCode: 'network' | null) => (
    <NextIntlClientProvider locale="en" messages={en}>
      <RequestProblem errorCode={errorCode} onRetry={jest.fn()} />
    </NextIntlClientProvider>
  )
  const { rerender } = render(page('network'))
  return () => rerender(page(null))
}

test('the focus stays in its place when the button to retry goes with the problem', () => {
  const succeed = renderProblem()
  screen.getByRole('button', { name: 'Try again' }).focus()
  succeed()
  expect(document.activeElement).toBe(screen.getByRole('alert'))
})

test('whoever has not reached the button is not taken there when the problem is over', () => {
  const succeed = renderProblem()
  succeed()
  expect(document.activeElement).toBe(document.body)
})
