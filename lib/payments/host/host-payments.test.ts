import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { createHostClient } from '@/lib/host-mode/server/host-client'
import { holdTimeouts, TestHost } from '@/lib/host-mode/testing'
import { type CreateInvoiceInput, REFILL_LINKS_CONTRACT } from '../domain/payments'
import { decimal } from '../server/testing'
import { createHostPayments } from './create-host-payments'

const INVOICE_ID = '00000000-0000-4000-8000-00000000aaaa'
const ACCOUNT_ID = '0b7c9e0e-5f51-4f0e-9c0b-0a4f6d3a2b11'
const OTHER_ID = '00000000-0000-4000-8000-00000000bbbb'
const invoice = {
  invoiceId: INVOICE_ID,
  accountId: ACCOUNT_ID,
  gatewayId: 'btcpay',
  gatewayInvoiceId: 'at-the-gateway',
  methodId: 'btc-lightning',
  requestedAmount: '1.5',
  requestedCurrency: 'USD',
  amountNano: '1500000000',
  bonusFraction: '0.05',
  state: 'New',
  paidLate: false,
  paidNano: '5',
  inTimeNano: '5',
  maximumNano: '6',
  approvedNano: '0',
  claimedNano: '4',
  creditedNano: '3',
  bonusClaimedNano: '0',
  bonusNano: '0',
  refundSeenNano: '2',
  reversalClaimedNano: '1',
  reversedNano: '0',
  reversalBonusClaimedNano: '0',
  reversedBonusNano: '0',
  reversalCount: 1,
  checkoutUrl: 'https://pay.test/i',
  lightningInvoice: 'lnbc1',
  bitcoinAddress: 'bcrt1qaaaaaaaaaa',
  bitcoinDue: '0.0001',
  createdAt: '2026-11-20T12:00:00.000Z',
  expiresAt: '2026-11-20T12:15:00.000Z',
}
const offer = {
  id: 'btc-lightning',
  displayName: 'Bitcoin (Lightning)',
  currencies: ['USD', 'SATS'],
  minimumNano: '1',
  maximumNano: '2',
  expirySeconds: 900,
  gatewayId: 'nwc',
  bonusFraction: '0',
  usdPerBitcoin: '85240.1',
}
const asked: CreateInvoiceInput = {
  accountId: ACCOUNT_ID,
  methodId: 'btc-lightning',
  amount: decimal('1.50'),
  currency: 'USD',
  siteUrl: 'https://visited.test',
}
const gatewayError = { name: 'GatewayError' }

describe('an unreliable payments host', () => {
  const host = new TestHost()
  const address = () => ({ baseUrl: host.baseUrl, token: 'the token of the host', timeoutMs: 20_000 })
  const payments = () => createHostPayments(address())
  const answerText = (status: number, text: string) => {
    host.answer = (_request, response) => response.writeHead(status).end(text)
  }
  const answer = (body: unknown) => answerText(200, JSON.stringify(body))
  const getInvoice = () => payments().getInvoice({ accountId: ACCOUNT_ID, invoiceId: INVOICE_ID })

  beforeAll(() => host.start())
  afterAll(() => host.stop())
  beforeEach(() => {
    host.requestCount = 0
  })
  afterEach(() => {
    jest.restoreAllMocks()
  })

  test.each(['', '<html></html>', '7', '[]', '{}', '{"invoice":null}'])(
    'is rejected when it answers %j',
    async text => {
      answerText(200, text)
      await expect(getInvoice()).rejects.toMatchObject(gatewayError)
      await expect(payments().createInvoice(asked)).rejects.toMatchObject(gatewayError)
      await expect(
        createHostClient(REFILL_LINKS_CONTRACT, address()).get({ accountId: ACCOUNT_ID }),
      ).rejects.toMatchObject(gatewayError)
    },
  )

  test.each(Object.keys(invoice))('is rejected for an invoice without its %s', async field => {
    answer({ ...invoice, [field]: undefined })
    await expect(getInvoice()).rejects.toMatchObject(gatewayError)
  })

  test.each<[string, Partial<Record<keyof typeof invoice, unknown>>]>([
    ['that was not asked for', { invoiceId: OTHER_ID }],
    ['of another account', { accountId: 'other' }],
    ['over a negative amount', { amountNano: '-1' }],
    ['over zero dollars', { amountNano: '0' }],
    ['with its nano-dollars as a number', { amountNano: 1_500_000_000 }],
    ['with a negative payment', { paidNano: '-1', claimedNano: '-1', creditedNano: '-1' }],
    ['credited above what was paid', { creditedNano: '6', claimedNano: '6' }],
    ['credited above its limit', { maximumNano: '3' }],
    ['with more paid in time than in all', { inTimeNano: '6' }],
    ['with more taken back than credited', { reversedNano: '4' }],
    ['with more of the bonus taken back than given', { reversedBonusNano: '1' }],
    ['in an unknown state', { state: 'Paid' }],
    ['with more decimals than its currency has', { requestedAmount: '1.234' }],
    ['with an infinite amount', { requestedAmount: '1e309' }],
    ['with a bonus above 100 percent', { bonusFraction: '1.01' }],
    ['with a negative bonus', { bonusFraction: '-0.1' }],
    ['with a checkout that is a script', { checkoutUrl: 'javascript:alert(1)' }],
    ['with an address that has parameters', { bitcoinAddress: 'bcrt1qaaaaaaaaaa?amount=9' }],
    ['with an invalid lightning invoice', { lightningInvoice: 'https://pay.test' }],
    ['with an invalid date', { expiresAt: 'soon' }],
  ])('is rejected for an invoice %s', async (_name, lie) => {
    answer({ ...invoice, ...lie })
    await expect(getInvoice()).rejects.toMatchObject(gatewayError)
  })

  test('is accepted for a valid invoice, whatever the case of the id', async () => {
    answer(invoice)
    const found = await payments().getInvoice({ accountId: ACCOUNT_ID, invoiceId: INVOICE_ID.toUpperCase() })
    expect(found).toMatchObject({
      requestedAmount: decimal('1.5'),
      amountNano: 1_500_000_000n,
      expiresAt: new Date(invoice.expiresAt),
    })
    answer(null)
    expect(await getInvoice()).toBeNull()
  })

  test('is rejected by commands if it answers with another invoice', async () => {
    answer({ ...invoice, invoiceId: OTHER_ID, gatewayId: 'sandbox' })
    const question = { invoiceId: INVOICE_ID, fraction: decimal('1') }
    await expect(payments().findInvoice(question)).rejects.toMatchObject(gatewayError)
    await expect(payments().recheckInvoice(question)).rejects.toMatchObject(gatewayError)
    await expect(payments().paySandboxInvoice(question)).rejects.toMatchObject(gatewayError)
  })

  test.each<[string, Partial<typeof invoice>]>([
    ['for another account', { accountId: 'other' }],
    ['by another method', { methodId: 'card' }],
    ['over another amount', { requestedAmount: '15' }],
    ['in another currency', { requestedCurrency: 'BTC' }],
    ['worth something else', { amountNano: '1500000001' }],
  ])('is rejected when it creates an invoice %s', async (_name, lie) => {
    answer({ outcome: 'created', invoice: { ...invoice, ...lie } })
    await expect(payments().createInvoice(asked)).rejects.toMatchObject(gatewayError)
    answer({ outcome: 'created', invoice })
    expect(await payments().createInvoice(asked)).toMatchObject({ outcome: 'created' })
  })

  test.each<[string, unknown]>([
    ['twice the same', [offer, offer]],
    ['with limits that no amount meets', [{ ...offer, minimumNano: '3' }]],
    ['with a bitcoin rate of zero', [{ ...offer, usdPerBitcoin: '0' }]],
    ['with a negative rate', [{ ...offer, usdPerBitcoin: '-1' }]],
    ['of an unknown kind', [{ ...offer, id: 'shells' }]],
    ['with an expiry of zero seconds', [{ ...offer, expirySeconds: 0 }]],
  ])('is rejected when it offers a method %s', async (_name, offers) => {
    answer(offers)
    await expect(payments().listMethods()).rejects.toMatchObject(gatewayError)
    answer([offer])
    expect(await payments().listMethods()).toMatchObject([{ usdPerBitcoin: decimal('85240.1') }])
  })

  test.each([201, 400, 401, 404, 500, 502, 503])('that answers with status %s is an error', async status => {
    answerText(status, JSON.stringify(invoice))
    await expect(getInvoice()).rejects.toMatchObject(gatewayError)
  })

  test('that is slow, or stops in the middle, is an error after the timeout, without a second request', async () => {
    const { timeout, runOut } = holdTimeouts()
    host.answer = runOut
    await expect(getInvoice()).rejects.toMatchObject(gatewayError)
    expect(host.requestCount).toBe(1)
    host.answer = (_request, response) => response.writeHead(200).write('{"invoiceId":', runOut)
    await expect(payments().createInvoice(asked)).rejects.toMatchObject(gatewayError)
    expect(host.requestCount).toBe(2)
    expect(timeout.mock.calls).toEqual([[20_000], [20_000]])
  })

  test('that sends too much is cut off', async () => {
    answerText(200, JSON.stringify({ ...invoice, more: 'x'.repeat(64 * 1024) }))
    await expect(getInvoice()).rejects.toMatchObject(gatewayError)
  })

  test('that redirects is an error, and the redirect is not followed', async () => {
    host.answer = (request, response) =>
      request.url === '/elsewhere'
        ? response.end(JSON.stringify(invoice))
        : response.writeHead(307, { location: '/elsewhere' }).end()
    await expect(getInvoice()).rejects.toMatchObject(gatewayError)
    expect(host.requestCount).toBe(1)
  })

  test('that is down is an error', async () => {
    const nowhere = createHostPayments({ baseUrl: 'http://127.0.0.1:1', token: 'token' })
    await expect(nowhere.listMethods()).rejects.toMatchObject(gatewayError)
  })
})
