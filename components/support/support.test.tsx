/** @jest-environment jsdom */
import { afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen } from '@testing-library/react'
import { renderInEnglish } from '@/components/account/testing'
import { SupportButton } from './support-button'
import { frameSandbox, widgetAddress } from './widget-frame'

beforeAll(() => {
  // What jsdom's dialog lacks.
  HTMLDialogElement.prototype.showModal = function showModal() {
    this.open = true
  }
  HTMLDialogElement.prototype.close = function close() {
    this.open = false
  }
})
afterEach(cleanup)

describe('the address of the widget', () => {
  test.each([
    ['https://help.test', 'https://help.test/widget?website_token=t'],
    ['https://help.test/widget', 'https://help.test/widget?website_token=t'],
    ['https://help.test/chat/', 'https://help.test/chat/widget?website_token=t'],
    ['https://help.test/?x=1#y', 'https://help.test/widget?website_token=t#y'],
  ])('for %s is %s', (url, address) => {
    expect(widgetAddress(url, 't')).toBe(address)
  })

  test('holds the token whatever is in it', () => {
    expect(new URL(widgetAddress('https://help.test', 'a&b=c#d')).searchParams.get('website_token')).toBe(
      'a&b=c#d',
    )
  })
})

describe('the sandbox of the frame', () => {
  test.each(['https://tuppence.test/widget', 'https://tuppence.test:443/x'])(
    'gives %s, which is our own origin, none of our storage',
    address => {
      expect(frameSandbox(address, 'https://tuppence.test').split(' ')).not.toContain('allow-same-origin')
    },
  )

  test('lets another origin keep its own', () => {
    expect(frameSandbox('https://help.test/widget', 'https://tuppence.test').split(' ')).toContain(
      'allow-same-origin',
    )
  })

  test('never lets a frame lead the page away or open a dialog over it', () => {
    expect(frameSandbox('https://help.test', 'https://tuppence.test')).not.toMatch(
      /top-navigation|modals|downloads/,
    )
  })
})

test('the frame comes by itself once the page rests, stays, and tells the widget nothing about the page', async () => {
  jest.useFakeTimers()
  renderInEnglish(
    <SupportButton
      address="https://help.test/widget?website_token=t"
      label="Help"
      title="Help from Tuppence"
      frameTitle="Support chat"
      note="The chat is run by help.test."
    />,
  )
  const button = screen.getByRole('button', { name: 'Help' })
  expect(screen.queryByTitle('Support chat')).toBeNull()
  expect(button.getAttribute('aria-expanded')).toBe('false')
  await act(() => jest.advanceTimersByTimeAsync(5_000))
  const frame = screen.getByTitle('Support chat')
  expect(screen.queryByRole('dialog')).toBeNull()
  fireEvent.click(button)
  expect(screen.getByRole('dialog').contains(frame)).toBe(true)
  expect(frame.getAttribute('src')).toBe('https://help.test/widget?website_token=t')
  expect(frame.getAttribute('referrerpolicy')).toBe('no-referrer')
  expect(frame.getAttribute('sandbox')).toContain('allow-scripts')
  expect(button.getAttribute('aria-expanded')).toBe('true')
  fireEvent.click(screen.getByRole('button', { name: 'Close' }))
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(screen.getByTitle('Support chat')).toBe(frame)
  jest.useRealTimers()
})

test('a click before that loads it at once', () => {
  renderInEnglish(
    <SupportButton
      address="https://help.test/widget?website_token=t"
      label="Help"
      title="Help from Tuppence"
      frameTitle="Support chat"
      note="The chat is run by help.test."
    />,
  )
  fireEvent.click(screen.getByRole('button', { name: 'Help' }))
  expect(screen.getByTitle('Support chat')).toBeTruthy()
})
