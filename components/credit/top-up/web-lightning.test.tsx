/** @jest-environment jsdom */
import { afterEach, describe, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { NextIntlClientProvider } from 'next-intl'
import { en as messages } from '@/test/support/messages'
import { findWebLightning, WebLightningPay } from './web-lightning'

const INVOICE = 'lnbc1invoice'

afterEach(() => {
  cleanup()
  Reflect.deleteProperty(window, 'webln')
})

function renderButton(): void {
  render(
    <NextIntlClientProvider locale="en" messages={messages}>
      <WebLightningPay lightningInvoice={INVOICE} />
    </NextIntlClientProvider>,
  )
}

describe("a browser's own wallet", () => {
  test.each([[{}], [{ webln: null }], [{ webln: {} }], [{ webln: { enable: 1, sendPayment: 2 } }]])(
    'is not seen in %j',
    browser => {
      expect(findWebLightning(browser)).toBeNull()
    },
  )

  test('has no button where there is none', () => {
    renderButton()
    expect(screen.queryByRole('button')).toBeNull()
  })

  test('is asked for leave first, and then pays the invoice that is shown', async () => {
    const calls: string[] = []
    const webln = {
      enable: jest.fn(async () => void calls.push('enable')),
      sendPayment: jest.fn(async (invoice: string) => void calls.push(invoice)),
    }
    Reflect.set(window, 'webln', webln)
    renderButton()
    await act(async () => void fireEvent.click(screen.getByRole('button')))
    expect(calls).toEqual(['enable', INVOICE])
    expect(screen.getByRole('alert').textContent).toBe('')
  })

  test('that refuses is reported, and can be asked again', async () => {
    Reflect.set(window, 'webln', {
      enable: async () => {
        throw new Error('closed')
      },
      sendPayment: async () => {},
    })
    renderButton()
    await act(async () => void fireEvent.click(screen.getByRole('button')))
    expect(screen.getByRole('alert').textContent).toBe(messages.topUp.browserRefused)
    expect(screen.getByRole('button').getAttribute('disabled')).toBeNull()
  })
})
