import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { NANO_PER_USD } from '@/lib/money/nano'
import { GatewayError } from '../../domain/gateway'
import { countObservation } from '../../server/testing'
import { btcpayInvoiceSchema, btcpayPaymentMethodsSchema } from './btcpay-api-types'
import { mapObservation } from './map-observation'

/** `InvoiceData` of a five dollar invoice, as version 2.4 writes it. */
const INVOICE = {
  id: 'KRC5BjXXXo8cRFKwTBmdR6',
  storeId: '9CiNzKoANXxmk5ayZngSXrHTiVvvgCrwrpFQd4m2K776',
  amount: '5',
  paidAmount: '0.00',
  currency: 'USD',
  type: 'Standard',
  checkoutLink: 'https://btcpay.test/i/KRC5BjXXXo8cRFKwTBmdR6',
  createdTime: 1592312018,
  expirationTime: 1592312918,
  monitoringExpiration: 1594904918,
  status: 'New',
  additionalStatus: 'None',
  availableStatusesForManualMarking: ['Settled', 'Invalid'],
  archived: false,
  metadata: { orderId: 'f6b5c2a0-0000-4000-8000-000000000000' },
}

/** At a rate of 64392.23, five dollars are 0.00007765 bitcoin, rounded up to a satoshi. */
const LIGHTNING = {
  paymentMethodId: 'BTC-LN',
  currency: 'BTC',
  destination: 'lnbc77650n1p…',
  paymentLink: 'lightning:lnbc77650n1p…',
  rate: '64392.23',
  paymentMethodPaid: '0',
  totalPaid: '0',
  due: '0.00007765',
  amount: '0.00007765',
  paymentMethodFee: '0',
  payments: [] as unknown[],
  activated: true,
  additionalData: {},
}

function payment(value: string, status = 'Settled', receivedDate = 1592312100, fee = '0') {
  return { id: randomUUID(), receivedDate, value, fee, status, destination: 'lnbc77650n1p…' }
}

function observe(invoice: object, methods: object[], amountNano = 5n * NANO_PER_USD) {
  const observation = mapObservation(
    btcpayInvoiceSchema.parse({ ...INVOICE, ...invoice }),
    btcpayPaymentMethodsSchema.parse(methods.map(method => ({ ...LIGHTNING, ...method }))),
    amountNano,
  )
  return countObservation(observation, { amountNano })
}

describe('the payments read from a BTCPay invoice', () => {
  test.each(['0', '0.001', '1000000000'])(
    'are not valued at a rate of %s, since that could never be corrected',
    rate => {
      const payments = [payment('0.00007765')]
      expect(() => observe({ status: 'Settled' }, [{ rate, payments }])).toThrow(GatewayError)
    },
  )

  test('are zero while it is new', () => {
    expect(observe({}, [{}])).toEqual({
      state: 'New',
      paidNano: 0n,
      inTimeNano: 0n,
      paidLate: false,
      bitcoinPayments: [],
      gatewayTotalNano: 0n,
      refundedNano: 0n,
      disputes: [],
    })
  })

  test('are zero while a payment is unconfirmed', () => {
    const payments = [payment('0.00007765', 'Processing')]
    expect(observe({ status: 'Processing', paidAmount: '5.00' }, [{ payments }]).paidNano).toBe(0n)
  })

  test('are zero once the operator marked it invalid', () => {
    const payments = [payment('0.00007765')]
    const marked = { status: 'Invalid', additionalStatus: 'Marked', paidAmount: '5.00' }
    expect(observe(marked, [{ payments }]).paidNano).toBe(0n)
  })

  test('are exactly its amount if the bitcoin due was rounded up to a satoshi', () => {
    const payments = [payment('0.00007765')]
    const observation = observe({ status: 'Settled', paidAmount: '5.00' }, [{ payments }])
    expect(observation).toMatchObject({ state: 'Settled', paidNano: 5n * NANO_PER_USD })
  })

  test('include a partial payment, also after expiry', () => {
    const payments = [payment('0.00003882', 'Settled', 1592312100)]
    const expired = { status: 'Expired', additionalStatus: 'PaidPartial', paidAmount: '2.50' }
    expect(observe(expired, [{ payments }])).toMatchObject({
      state: 'Expired',
      paidNano: 2_500_000_000n,
      paidLate: false,
    })
  })

  test('are exact to the nano-dollar if the server’s rounded total is off by more than a satoshi', () => {
    const payments = [payment('0.00000777')]
    // 0.00000777 x 64392.23 = 0.5003276271
    expect(observe({ paidAmount: '0.51' }, [{ payments }]).paidNano).toBe(500_327_627n)
  })

  test('are all counted in an overpayment by several payments and methods', () => {
    const observation = observe({ status: 'Settled', additionalStatus: 'PaidOver', paidAmount: '13.00' }, [
      { payments: [payment('0.00007765'), payment('0.00007765')] },
      { paymentMethodId: 'BTC-CHAIN', payments: [payment('0.00004659')] },
    ])
    expect(observation.paidNano).toBe(13n * NANO_PER_USD)
  })

  test('are late if the invoice says so or a payment came after its expiry', () => {
    const inTime = [payment('0.00007765')]
    const afterwards = [payment('0.00007765', 'Settled', INVOICE.expirationTime + 1)]
    expect(observe({ status: 'Expired' }, [{ payments: inTime }]).paidLate).toBe(false)
    expect(observe({ status: 'Expired' }, [{ payments: afterwards }]).paidLate).toBe(true)
    expect(observe({ additionalStatus: 'PaidLate' }, [{ payments: inTime }]).paidLate).toBe(true)
  })

  test('are counted once if the server lists them beside their total', () => {
    const payments = [payment('0.00007765', 'Settled', INVOICE.expirationTime + 1)]
    const late = { status: 'Expired', additionalStatus: 'PaidLate', paidAmount: '5.00' }
    const { bitcoinPayments } = observe(late, [{ payments, paymentMethodPaid: '0.00007765' }])
    expect(bitcoinPayments.map(({ paymentId }) => paymentId)).toEqual([payments[0]?.id])
  })

  test('exclude the network fee that the payer was charged', () => {
    const payments = [payment('0.00010000', 'Settled', 1592312100, '0.00002235')]
    expect(observe({ status: 'Settled', paidAmount: '5.00' }, [{ payments }]).paidNano).toBe(
      5n * NANO_PER_USD,
    )
  })

  test('leave out one of which the network fee leaves nothing', () => {
    const payments = [payment('0.00002235', 'Settled', 1592312100, '0.00002235'), payment('0.00007765')]
    expect(observe({ status: 'Settled', paidAmount: '5.00' }, [{ payments }])).toMatchObject({
      paidNano: 5n * NANO_PER_USD,
      bitcoinPayments: [{ paymentId: payments[1]?.id }],
    })
  })

  test('are counted if they were confirmed too late, and if the operator marked it settled', () => {
    const payments = [payment('0.00007765'), payment('0.00007765')]
    expect(observe({ status: 'Invalid', paidAmount: '10.00' }, [{ payments }]).paidNano).toBe(
      10n * NANO_PER_USD,
    )
    const marked = { status: 'Settled', additionalStatus: 'Marked', paidAmount: '10.00' }
    expect(observe(marked, [{ payments }]).bitcoinPayments).toHaveLength(2)
  })

  test('are its whole amount if the operator marked it settled', () => {
    expect(observe({ status: 'Settled', additionalStatus: 'Marked' }, [{}]).paidNano).toBe(5n * NANO_PER_USD)
  })

  test('are read from the totals of a server that lists no payments', () => {
    const bare = { paymentMethodId: null, paymentMethod: 'BTC-LightningNetwork', payments: null }
    expect(observe({ status: 'Settled', paidAmount: '5.00' }, [bare]).paidNano).toBe(5n * NANO_PER_USD)
    const told = { ...bare, paymentMethodPaid: '0.00003882' }
    const partial = { status: 'Expired', additionalStatus: 'PaidPartial', paidAmount: null }
    for (const paidAmount of [null, '0.00'])
      expect(observe({ ...partial, paidAmount }, [told]).paidNano).toBe(2_499_706_368n)
    expect(observe({ status: 'New', paidAmount: '5.00' }, [bare]).paidNano).toBe(0n)
    const over = { status: 'Settled', additionalStatus: 'PaidOver' }
    expect(observe({ ...over, paidAmount: '10.00' }, [bare]).paidNano).toBe(10n * NANO_PER_USD)
    expect(observe({ ...over, paidAmount: '13.00' }, [bare]).paidNano).toBe(10n * NANO_PER_USD)
  })

  test('are one late payment if such a server says that it is late, and none before it is final', () => {
    const bare = { payments: null, paymentMethodPaid: '0.00003882' }
    const late = { status: 'Expired', additionalStatus: 'PaidLate', paidAmount: null }
    expect(observe(late, [bare]).bitcoinPayments).toMatchObject([
      { paymentId: 'total', receivedInTime: false, settled: true, atInvoiceRateNano: 2_499_706_368n },
    ])
    expect(observe({ status: 'Processing', paidAmount: '2.50' }, [bare])).toMatchObject({
      paidNano: 0n,
      bitcoinPayments: [],
    })
  })

  test('are refused if one is in another coin, which a rate of bitcoin would make worth thousands', () => {
    const methods = [{ paymentMethodId: 'LTC-CHAIN', payments: [payment('0.0500000')] }]
    expect(() => observe({ status: 'Settled' }, methods)).toThrow('other than bitcoin')
  })

  test('are valued in proportion if the invoice is in bitcoin', () => {
    const invoice = { amount: '0.00001000', currency: 'BTC', paidAmount: '0.00000500' }
    const methods = [{ rate: '1', payments: [payment('0.00000500')] }]
    expect(observe(invoice, methods, 640_000_000n).paidNano).toBe(320_000_000n)
  })

  test.each([
    ['in another currency', { currency: 'EUR' }],
    ['over no bitcoin, of which they would be no part', { currency: 'BTC', amount: '0' }],
  ])('are refused for an invoice %s', (_, invoice) => {
    const payments = [payment('0.00007765')]
    expect(() => observe(invoice, [{ payments }])).toThrow('not created by this site')
  })
})
