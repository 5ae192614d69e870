/** @jest-environment jsdom */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { NextIntlClientProvider } from 'next-intl'
import { en } from '@/test/support/messages'

let pathname = '/'
jest.unstable_mockModule('next/navigation', () => ({ usePathname: () => pathname }))
const { PageProgress } = await import('./page-progress')

beforeEach(() => {
  pathname = '/'
  jest.useFakeTimers()
})

afterEach(() => {
  cleanup()
  jest.useRealTimers()
})

/** Rendered on the page that `pathname` currently names. */
const shown = () => (
  <NextIntlClientProvider locale="en" messages={en} timeZone="UTC">
    <PageProgress />
  </NextIntlClientProvider>
)

/** The router handles a click by preventing the browser's default. */
function follow(href: string, isTaken = true) {
  const link = document.createElement('a')
  link.href = href
  link.onclick = event => {
    if (isTaken) event.preventDefault()
  }
  document.body.append(link)
  fireEvent.click(link)
  link.remove()
}

const isSaid = () => screen.queryByText('Loading…') !== null
const pass = () => act(() => jest.runOnlyPendingTimers())

test('a page that takes a while shows that it is loading, until it is there', () => {
  const { rerender } = render(shown())
  follow('/account')
  expect(isSaid()).toBe(false)
  pass()
  expect(isSaid()).toBe(true)
  pathname = '/account'
  rerender(shown())
  expect(isSaid()).toBe(false)
  pathname = '/'
  rerender(shown())
  pass()
  expect(isSaid()).toBe(false)
})

test('a page that appears at once shows no progress', () => {
  const { rerender } = render(shown())
  follow('/account')
  pathname = '/account'
  rerender(shown())
  pass()
  expect(isSaid()).toBe(false)
})

test('clicking a link to the current page ends the progress', () => {
  render(shown())
  follow('/account')
  pass()
  follow('/')
  expect(isSaid()).toBe(false)
})

test.each([
  ['another conversation', '/de/c/other', true],
  ['a new window', '/account', false],
])('no progress is shown on the way to %s', (_, href, isTaken) => {
  render(shown())
  follow(href, isTaken)
  pass()
  expect(isSaid()).toBe(false)
})
