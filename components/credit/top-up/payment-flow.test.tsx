/** @jest-environment jsdom */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { creditIdStore } from '@/lib/local/credit-id'
import { type FakeCall, fakeServer, press, renderInEnglish } from '@/test/support/render'
import { AtAddress } from './testing'
import { TopUp } from './top-up'

const CREDIT_ID = '0b0e7c9e-5d3c-4a53-9d5c-2f1d5f3f6a01'
const LIMITS = { USD: { min: 1, max: 100 } }

let calls: FakeCall[] = []
let known = new Map<string, object>()

beforeEach(() => {
  localStorage.clear()
  creditIdStore.write(CREDIT_ID)
  window.history.replaceState(null, '', '/top-up')
  known = new Map()
  calls = fakeServer(({ path, body }) => {
    if (path === '/topup/payment-methods')
      return {
        json: {
          supported_methods: [
            { method: 'btc-lightning', limits: LIMITS },
            { method: 'btc', limits: LIMITS },
          ],
        },
      }
    if (path.startsWith('/topup/create')) {
      const invoice = newInvoice(`inv-${known.size + 1}`, Object(body).amount)
      known.set(invoice.invoice_id, invoice)
      return { json: invoice }
    }
    const invoice = known.get(path.split('/').at(-1) ?? '')
    return invoice ? { json: invoice } : { status: 404, json: { error: { code: 'not_found' } } }
  })
})
afterEach(cleanup)

function newInvoice(invoiceId: string, amountUsd: number) {
  return {
    invoice_id: invoiceId,
    method: 'btc',
    created_at: Math.floor(Date.now() / 1000),
    expires_at: Math.floor(Date.now() / 1000) + 900,
    amount_usd: amountUsd,
    lightning_invoice: 'lnbc1abc',
    crypto_amount_due: 0.00005,
    sandbox: true,
    status: 'New',
    additional_status: 'none',
    paid_usd: 0,
    credited_usd: 0,
    uncredited_usd: 0,
    refunded_usd: 0,
  }
}

async function open(address: string): Promise<void> {
  window.history.replaceState(null, '', address)
  await act(
    async () =>
      void renderInEnglish(
        <AtAddress>
          <TopUp returnHref="/" />
        </AtAddress>,
      ),
  )
}
const go = async (steps: number) => {
  const arrived = new Promise(resolve => window.addEventListener('popstate', resolve, { once: true }))
  window.history.go(steps)
  await act(async () => void (await arrived))
}
const amountField = () => screen.getByLabelText<HTMLInputElement>('Amount in US dollars')
const walletLink = () => screen.queryByRole('link', { name: 'Open in wallet' })

async function orderTwelve(): Promise<void> {
  await open('/top-up?return=/account')
  fireEvent.change(amountField(), { target: { value: '12.50' } })
  fireEvent.click(await screen.findByRole('radio', { name: /on-chain/ }))
  await press('Continue')
}

test('going back shows the form as it was filled in, and going forward the invoice', async () => {
  await orderTwelve()
  expect(walletLink()).not.toBeNull()
  expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Payment' }))
  await go(-1)
  expect(amountField().value).toBe('12.50')
  expect(screen.getByRole<HTMLInputElement>('radio', { name: /on-chain/ }).checked).toBe(true)
  expect(window.location.search).toContain('return=')
  await go(1)
  expect(walletLink()).not.toBeNull()
  expect(calls.filter(({ method }) => method === 'POST')).toHaveLength(1)
})

test('a credit that the server does not know is set aside, and the money goes to a new one', async () => {
  const created = crypto.randomUUID()
  const answer = fakeServer(({ path, authorization, body }) => {
    if (path === '/topup/payment-methods')
      return { json: { supported_methods: [{ method: 'btc-lightning', limits: LIMITS }] } }
    if (path === '/accounts/create') return { json: { credit_id: created } }
    if (path.startsWith('/topup/create') && authorization === `Bearer ${created}`)
      return { json: newInvoice('inv-1', Object(body).amount) }
    return { status: 401, json: { error: { code: 'invalid_credential' } } }
  })
  await open('/top-up')
  await press('Continue')
  await waitFor(() => expect(walletLink()).not.toBeNull())
  expect(creditIdStore.getSnapshot()).toBe(created)
  expect(localStorage.getItem('credit_id.damaged.1')).toBe(CREDIT_ID)
  expect(answer.filter(({ path }) => path === '/accounts/create')).toHaveLength(1)
})

test('a settled payment gets the focus and is scrolled into view when its button disappears', async () => {
  await open('/top-up')
  await press('Continue')
  const pay = screen.getByRole('button', { name: 'Pay (sandbox)' })
  act(() => pay.focus())
  const [[id, invoice] = ['', newInvoice('', 0)]] = known
  known.set(id, { ...invoice, status: 'Settled', credited_usd: 5 })
  const seen: Element[] = []
  Element.prototype.scrollIntoView = function scrollIntoView() {
    seen.push(this)
  }
  await act(async () => void fireEvent.click(pay))
  await waitFor(() => expect(pay.isConnected).toBe(false))
  Reflect.deleteProperty(Element.prototype, 'scrollIntoView')
  const heading = screen.getByRole('heading', { name: 'Payment' })
  expect(document.activeElement).toBe(heading)
  expect(seen).toEqual([heading])
})

test('a second payment of a settled invoice is shown without a reload, and an outage meanwhile is not', async () => {
  jest.useFakeTimers({ advanceTimers: true })
  try {
    known.set('inv-9', { ...newInvoice('inv-9', 5), status: 'Settled', credited_usd: 5 })
    await open('/top-up?invoice=inv-9')
    expect(await screen.findByText('$5.00 added')).toBeDefined()
    const pass = (seconds: number) => act(() => jest.advanceTimersByTimeAsync(seconds * 1_000))
    const settled = known.get('inv-9')
    known.set('inv-9', {
      get status(): never {
        throw new TypeError('Failed to fetch')
      },
    })
    await pass(20)
    expect(screen.getByRole('alert').textContent).toBe('')
    known.set('inv-9', { ...settled, additional_status: 'paid_over', credited_usd: 8 })
    // After two failures it may ask again in half a minute: each pause is longer, and of random length.
    await pass(60)
    expect(screen.getByText('$8.00 added')).toBeDefined()
  } finally {
    jest.useRealTimers()
  }
})

test('a half-paid invoice of the sandbox asks for the rest and pays it', async () => {
  known.set('inv-9', { ...newInvoice('inv-9', 12.5), additional_status: 'paid_partial', paid_usd: 2.5 })
  await open('/top-up?invoice=inv-9')
  expect(await screen.findByText('$10.00')).toBeDefined()
  expect(screen.queryByText('$12.50')).toBeNull()
  // Whoever keeps what has come can go on with it.
  expect(screen.getByRole('link', { name: 'Back to your chat' }).getAttribute('href')).toBe('/')
  await press('Pay (sandbox)')
  const { body } = calls.find(({ method }) => method === 'POST') ?? {}
  expect(body).toEqual({ fraction: 0.8, payment_id: expect.stringMatching(/^[0-9a-f-]{36}$/) })
})

test('the offer of a backup, which is loaded when money has come, moves the way back to the chat nowhere', async () => {
  known.set('inv-9', { ...newInvoice('inv-9', 5), status: 'Settled', credited_usd: 5 })
  await open('/top-up?invoice=inv-9')
  const back = await screen.findByRole('link', { name: 'Back to your chat' })
  const offer = await screen.findByRole('heading', { name: 'Keep this credit safe' })
  expect(back.compareDocumentPosition(offer)).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
})

test('no invoice is ordered if the browser cannot store the credit', async () => {
  await open('/top-up')
  const refused = jest.spyOn(window, 'localStorage', 'get').mockImplementation(() => {
    throw new DOMException('Access is denied for this document.', 'SecurityError')
  })
  await press('Continue')
  refused.mockRestore()
  expect(screen.getByText(/would be lost/)).toBeDefined()
  expect(calls.filter(({ method }) => method === 'POST')).toEqual([])
})

test('starting over keeps the amount, and the invoice is one step back', async () => {
  await orderTwelve()
  await press('Start over')
  expect(amountField().value).toBe('12.50')
  expect(document.activeElement).toBe(screen.getByRole('button', { name: '$1' }))
  await go(-1)
  expect(walletLink()).not.toBeNull()
})

test.each([
  ['?amount=1', '1'],
  ['?amount=2.5', '2.50'],
  ['?amount=<b>', '5'],
  ['?amount=-3', '5'],
])('the address %s fills in %s dollars', async (query, text) => {
  await open(`/top-up${query}`)
  expect(amountField().value).toBe(text)
})

test('a reload shows the invoice named in the address', async () => {
  known.set('inv-9', newInvoice('inv-9', 3))
  await open('/top-up?invoice=inv-9')
  await waitFor(() => expect(walletLink()).not.toBeNull())
  await press('Start over')
  expect(amountField().value).toBe('3')
})

test.each([0, 500, 900])(
  'with a clock %i ms behind, no more than the remaining time is shown',
  async behindMs => {
    const invoice = newInvoice('inv-9', 3)
    known.set('inv-9', invoice)
    const now = jest.spyOn(Date, 'now').mockReturnValue(invoice.created_at * 1000 - behindMs)
    try {
      await open('/top-up?invoice=inv-9')
      expect(await screen.findByText('Pay within 15:00')).toBeDefined()
    } finally {
      now.mockRestore()
    }
  },
)

describe('an expired invoice', () => {
  const over = { ...newInvoice('inv-9', 3), expires_at: 1_700_000_000 }

  test.each([
    ['by the server', { ...over, status: 'Expired' }],
    ['by the clock, before the server has noticed', over],
  ])('%s cannot be paid any more, and a new one can be ordered', async (_by, invoice) => {
    known.set('inv-9', invoice)
    await open('/top-up?invoice=inv-9')
    expect(await screen.findByText('This invoice has expired')).toBeDefined()
    expect(screen.getByText(/money that still arrives/)).toBeDefined()
    expect(walletLink()).toBeNull()
    expect(screen.queryByRole('img')).toBeNull()
    expect(screen.queryByRole('button', { name: /Copy|Pay/ })).toBeNull()
    await press('Make a new invoice')
    expect(amountField().value).toBe('3')
  })

  test('is withdrawn while the page is open', async () => {
    known.set('inv-9', newInvoice('inv-9', 3))
    jest.useFakeTimers()
    try {
      await open('/top-up?invoice=inv-9')
      await act(() => jest.advanceTimersByTimeAsync(10_000))
      expect(walletLink()).not.toBeNull()
      await act(() => jest.advanceTimersByTimeAsync(900_000))
      expect(walletLink()).toBeNull()
    } finally {
      jest.useRealTimers()
    }
  })
})

test.each(['/top-up?invoice=gone', '/top-up?invoice=<script>'])(
  'for %s the page says what to do if money was sent',
  async address => {
    await open(address)
    expect(await screen.findByText('No such payment was found for the credit in this browser')).toBeDefined()
    const link = await screen.findByRole('link', { name: 'bring that credit here' })
    expect(link.getAttribute('href')).toBe('/account#restore')
    await press('Start over')
    expect(amountField().value).toBe('5')
  },
)

test('without a credit no invoice is requested, and the page says what to do if money was sent', async () => {
  creditIdStore.remove()
  await open('/top-up?invoice=gone')
  expect(screen.getByText(/If you have sent money/)).toBeDefined()
  expect(calls).toEqual([])
})

test('waiting for the payment is announced in a region that existed before', async () => {
  await orderTwelve()
  const words = await screen.findByText('Waiting for your payment')
  expect(screen.getByRole('status', { name: 'Payment status' }).contains(words)).toBe(true)
})
