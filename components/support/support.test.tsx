/** @jest-environment jsdom */
import { afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen } from '@testing-library/react'
import { renderInEnglish, stubDialogs } from '@/test/support/render'
import { SupportButton } from './support-button'
import { widgetAddress } from './widget-address'

beforeAll(stubDialogs)
afterEach(cleanup)

describe('the address of the widget', () => {
  test.each([
    ['https://help.test', 'https://help.test/widget?website_token=t'],
    ['https://help.test/widget', 'https://help.test/widget?website_token=t'],
    ['https://help.test/chat/', 'https://help.test/chat/widget?website_token=t'],
    ['https://help.test/?x=1#y', 'https://help.test/widget?website_token=t#y'],
  ])('is built from %s as %s', (url, address) => {
    expect(widgetAddress(url, 't')).toBe(address)
  })

  test('encodes any token', () => {
    expect(new URL(widgetAddress('https://help.test', 'a&b=c#d')).searchParams.get('website_token')).toBe(
      'a&b=c#d',
    )
  })
})

function show() {
  renderInEnglish(
    <SupportButton
      address="https://help.test/widget?website_token=t"
      label="Help"
      title="Help from Tuppence"
      frameTitle="Support chat"
      note="The chat is run by help.test."
    />,
  )
  return screen.getByRole('button', { name: 'Help' })
}

test('the frame loads on the click, stays loaded, and sends no referrer', async () => {
  jest.useFakeTimers()
  const button = show()
  await act(() => jest.advanceTimersByTimeAsync(60_000))
  jest.useRealTimers()
  expect(document.querySelector('iframe')).toBeNull()
  expect(button.getAttribute('aria-expanded')).toBe('false')
  fireEvent.click(button)
  const frame = screen.getByTitle('Support chat')
  expect(screen.getByRole('dialog').contains(frame)).toBe(true)
  expect(frame.getAttribute('src')).toBe('https://help.test/widget?website_token=t')
  expect(frame.getAttribute('referrerpolicy')).toBe('no-referrer')
  expect(frame.getAttribute('sandbox')).toContain('allow-scripts')
  expect(button.getAttribute('aria-expanded')).toBe('true')
  fireEvent.click(screen.getByRole('button', { name: 'Close' }))
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(screen.getByTitle('Support chat')).toBe(frame)
})

test.each([
  ['the pointer', fireEvent.pointerEnter],
  ['the keyboard', fireEvent.focus],
])('the frame is preloaded when %s reaches the button', (_, reach) => {
  reach(show())
  expect(screen.getByTitle('Support chat')).toBeTruthy()
  expect(screen.queryByRole('dialog')).toBeNull()
})
