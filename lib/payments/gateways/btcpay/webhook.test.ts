import { createHmac } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { isSignedByBtcpay, mapWebhook } from './webhook'

const secret = 'the webhook’s secret'
const body = '{"type":"InvoiceSettled","invoiceId":"KRC5BjXXXo8cRFKwTBmdR6"}'

function sign(text: string, key = secret): string {
  return `sha256=${createHmac('sha256', key).update(text).digest('hex')}`
}

function verify(text: string, signature: string | null, key = secret): boolean {
  return isSignedByBtcpay({ rawBody: new TextEncoder().encode(text), signature, secret: key })
}

describe('the signature of a BTCPay webhook', () => {
  test('verifies over the exact bytes received', () => {
    expect(verify(body, sign(body))).toBe(true)
  })

  test('is refused if white space was changed', () => {
    expect(verify(body.replace(',', ', '), sign(body))).toBe(false)
    expect(verify(`${body}\n`, sign(body))).toBe(false)
  })

  test('is refused if it was made with another secret', () => {
    expect(verify(body, sign(body, 'another'))).toBe(false)
  })

  test('is refused if no secret is set, even when made with an empty secret', () => {
    expect(verify(body, sign(body, ''), '')).toBe(false)
  })

  test.each([
    null,
    '',
    'sha256=',
    'sha256=00',
    `sha1=${'0'.repeat(64)}`,
    sign(body).slice(0, -2),
    `${sign(body)}00`,
    sign(body).replace('sha256=', ''),
  ])('is refused if it is incomplete or malformed: %j', signature => {
    expect(verify(body, signature)).toBe(false)
  })
})

describe('a BTCPay webhook', () => {
  const about = (event: unknown) => mapWebhook(new TextEncoder().encode(JSON.stringify(event)), 'ours')

  test.each([
    [{ type: 'InvoiceSettled', invoiceId: 'i', storeId: 'ours' }, { invoiceId: 'i' }],
    [{ type: 'InvoiceReceivedPayment', invoiceId: 'i' }, { invoiceId: 'i' }],
    [{ type: 'PayoutUpdated', pullPaymentId: 'p', storeId: 'ours' }, { pullPaymentId: 'p' }],
    [{ type: 'PayoutUpdated', pullPaymentId: 'p', invoiceId: 'i' }, { pullPaymentId: 'p' }],
    [{ type: 'InvoiceSettled', invoiceId: 'i', pullPaymentId: 'p' }, { invoiceId: 'i' }],
  ])('%j is about what it names', (event, subject) => {
    expect(about(event)).toEqual(subject)
  })

  test.each([
    [{ type: 'InvoiceSettled', invoiceId: 'i', storeId: 'another' }],
    [{ type: 'PayoutUpdated', pullPaymentId: 'p', storeId: 'another' }],
    [{ type: 'InvoiceSettled', storeId: 'ours' }],
    [{ type: 'PayoutUpdated', storeId: 'ours' }],
    [{ type: 'PaymentRequestUpdated', invoiceId: 'i', pullPaymentId: 'p', storeId: 'ours' }],
    [{ invoiceId: 'i' }],
    ['text'],
  ])('%j is about nothing of ours', event => {
    expect(about(event)).toBeNull()
  })
})
