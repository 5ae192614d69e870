/** @jest-environment jsdom */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { NextIntlClientProvider } from 'next-intl'
import { creditIdStore } from '@/lib/local/credit-id'
import { messagesIn } from '@/test/support/messages'
import { renderInEnglish } from '@/test/support/render'
import { CarryOffer } from './carry-offer'
import { CreditBackup } from './credit-backup'

const persist = jest.fn(async () => true)

beforeEach(() => {
  localStorage.clear()
  persist.mockClear()
  creditIdStore.write('0b0e7c9e-5d3c-4a53-9d5c-2f1d5f3f6a01')
  Object.defineProperty(navigator, 'storage', {
    configurable: true,
    value: { persist },
  })
})
afterEach(() => {
  cleanup()
  jest.restoreAllMocks()
})

const isOffered = () => screen.queryByRole('heading', { name: 'Keep this credit safe' }) !== null

test('the offer appears once per browser, and asks the browser for persistent storage', async () => {
  await act(async () => void renderInEnglish(<CarryOffer />))
  expect(isOffered()).toBe(true)
  expect(persist).toHaveBeenCalledTimes(1)
  cleanup()
  await act(async () => void renderInEnglish(<CarryOffer />))
  expect(isOffered()).toBe(false)
  expect(persist).toHaveBeenCalledTimes(1)
})

test('no word is shown before its button is pressed', async () => {
  await act(async () => void renderInEnglish(<CarryOffer />))
  expect(screen.queryByRole('list')).toBeNull()
  await act(async () => void fireEvent.click(screen.getByRole('button', { name: 'Show the 12 words' })))
  expect((await screen.findByRole('list')).children).toHaveLength(12)
})

test.each([
  ['de', 'en'],
  ['fr', 'fr'],
] as const)(
  'on a page in %s the words are marked as %s, so that they are read aloud as such',
  async (page, words) => {
    render(
      <NextIntlClientProvider locale={page} messages={messagesIn(page)}>
        <CreditBackup creditId="0b0e7c9e-5d3c-4a53-9d5c-2f1d5f3f6a01" />
      </NextIntlClientProvider>,
    )
    const { children } = await screen.findByRole('list')
    expect([...children].map(child => child.getAttribute('lang'))).toEqual(Array(12).fill(words))
  },
)

test('the focus moves to a heading when the focused button disappears', async () => {
  await act(
    async () =>
      void renderInEnglish(
        <main>
          <h2 tabIndex={-1}>Payment</h2>
          <CarryOffer />
        </main>,
      ),
  )
  const press = (name: string) => {
    const button = screen.getByRole('button', { name })
    button.focus()
    fireEvent.click(button)
  }
  press('Show the 12 words')
  await waitFor(() => expect(document.activeElement?.textContent).toBe('Keep this credit safe'))
  press('Done')
  await waitFor(() => expect(document.activeElement?.textContent).toBe('Payment'))
})

test('the offer disappears after “Later”', async () => {
  await act(async () => void renderInEnglish(<CarryOffer />))
  fireEvent.click(screen.getByRole('button', { name: 'Later' }))
  expect(isOffered()).toBe(false)
})

test('the offer appears even if the browser refuses to store that it was made', async () => {
  const reported = jest.fn()
  // jsdom lacks it.
  Reflect.set(globalThis, 'reportError', reported)
  jest.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('The file is corrupted.', 'UnknownError')
  })
  await act(async () => void renderInEnglish(<CarryOffer />))
  expect(isOffered()).toBe(true)
  expect(reported).toHaveBeenCalledTimes(1)
})

test('the offer appears even if the browser refuses persistent storage', async () => {
  persist.mockRejectedValueOnce(new Error('private window'))
  await act(async () => void renderInEnglish(<CarryOffer />))
  expect(isOffered()).toBe(true)
})
