/** @jest-environment jsdom */
import { afterEach, describe, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { NextIntlClientProvider } from 'next-intl'
import type { InvoiceStatus } from '@/lib/api/contracts/invoices'
import { en as messages } from '@/test/support/messages'
import { InvoicePayment } from './invoice-payment'
import { findWebLightning } from './web-lightning'

const INVOICE = 'lnbc1invoice'
const STATUS: InvoiceStatus = {
  invoice_id: 'inv-1',
  method: 'btc-lightning',
  created_at: 0,
  expires_at: 900,
  expires_in_seconds: 900,
  amount: 1,
  currency: 'USD',
  amount_usd: 1,
  lightning_invoice: INVOICE,
  address: null,
  checkout_url: null,
  crypto_amount_due: 0.00001553,
  sandbox: false,
  status: 'New',
  additional_status: 'none',
  paid_usd: 0,
  amount_paid: 0,
  bonus_usd: 0,
  credited_usd: 0,
  uncredited_usd: 0,
  refunded_usd: 0,
}
const PAY = { name: messages.topUp.payFromBrowser }

afterEach(() => {
  cleanup()
  Reflect.deleteProperty(window, 'webln')
})

function renderButton(): void {
  render(
    <NextIntlClientProvider locale="en" messages={messages}>
      <InvoicePayment invoice={STATUS} sandbox={{ busy: false, onPay: () => {} }} />
    </NextIntlClientProvider>,
  )
}

describe('a wallet in the browser (WebLN)', () => {
  test.each([[{}], [{ webln: null }], [{ webln: {} }], [{ webln: { enable: 1, sendPayment: 2 } }]])(
    'is not found in %j',
    browser => {
      expect(findWebLightning(browser)).toBeNull()
    },
  )

  test('has no button if there is none', () => {
    renderButton()
    expect(screen.queryByRole('button', PAY)).toBeNull()
  })

  test('is enabled first, and then pays the shown invoice', async () => {
    const calls: string[] = []
    const webln = {
      enable: jest.fn(async () => void calls.push('enable')),
      sendPayment: jest.fn(async (invoice: string) => void calls.push(invoice)),
    }
    Reflect.set(window, 'webln', webln)
    renderButton()
    await act(async () => void fireEvent.click(screen.getByRole('button', PAY)))
    expect(calls).toEqual(['enable', INVOICE])
    expect(screen.queryByRole('alert')).toBeNull()
  })

  test('that refuses is reported, and can be tried again', async () => {
    Reflect.set(window, 'webln', {
      enable: async () => {
        throw new Error('closed')
      },
      sendPayment: async () => {},
    })
    renderButton()
    await act(async () => void fireEvent.click(screen.getByRole('button', PAY)))
    expect(screen.getByRole('alert').textContent).toBe(messages.topUp.browserRefused)
    expect(screen.getByRole('button', PAY).getAttribute('disabled')).toBeNull()
  })
})
