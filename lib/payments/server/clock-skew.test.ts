import { randomUUID } from 'node:crypto'
import { afterEach, expect, jest, test } from '@jest/globals'
import { sql } from 'kysely'
import { describeOnPostgres } from '@/lib/db/testing'
import { NANO_PER_USD } from '@/lib/money/nano'
import { createPaymentsForTest, decimal, scriptedGateway } from './testing'

const DAY_MS = 24 * 3600 * 1000

/** Fakes only the date, since database drivers need their timers. */
function setMachineClock(nowMs: number): void {
  jest.useFakeTimers({
    now: nowMs,
    doNotFake: [
      'hrtime',
      'nextTick',
      'performance',
      'queueMicrotask',
      'setImmediate',
      'clearImmediate',
      'setInterval',
      'clearInterval',
      'setTimeout',
      'clearTimeout',
    ],
  })
}

describeOnPostgres('with the machine’s clock a day off', getDatabase => {
  afterEach(() => {
    jest.useRealTimers()
  })

  test.each([-DAY_MS, DAY_MS])('a new invoice neither expires nor is paid late (%d ms)', async skewMs => {
    const gateway = scriptedGateway()
    const shop = await createPaymentsForTest({ database: getDatabase(), gateways: [gateway] })
    setMachineClock(Date.now() + skewMs)
    const { gatewayInvoiceId, invoiceId } = await shop.createInvoice('1')
    const open = await shop.payments.getInvoice({ accountId: shop.accountId, invoiceId })
    expect(open?.state).toBe('New')
    gateway.tell(gatewayInvoiceId, { state: 'Settled', paidNano: NANO_PER_USD })
    await sql`update invoice set next_check_at = now() - interval '1 second'`.execute(getDatabase().kysely)
    await shop.payments.reconcile({ invoiceCountMax: 10 })
    const paid = await shop.payments.getInvoice({ accountId: shop.accountId, invoiceId })
    expect(paid).toMatchObject({ state: 'Settled', paidLate: false, creditedNano: NANO_PER_USD })
  })

  test.each([-DAY_MS, DAY_MS])('an invoice tells when it was read (%d ms)', async skewMs => {
    const shop = await createPaymentsForTest({ database: getDatabase(), gateways: [scriptedGateway()] })
    setMachineClock(Date.now() + skewMs)
    const made = await shop.createInvoice('1')
    expect(made.readAt).toEqual(made.createdAt)
    await sql`update invoice set expires_at = now() - interval '90 seconds' where id = ${made.invoiceId}`.execute(
      getDatabase().kysely,
    )
    const read = await shop.payments.getInvoice({ accountId: shop.accountId, invoiceId: made.invoiceId })
    const overMs = Number(read?.readAt) - Number(read?.expiresAt)
    expect(overMs).toBeGreaterThanOrEqual(90_000)
    expect(overMs).toBeLessThan(DAY_MS / 2)
  })

  // It was worth a dollar when it was ordered, and is worth two now.
  test.each<[string, number, string, bigint]>([
    ['within a day keeps its rate', 2 * DAY_MS, '1 minute', NANO_PER_USD],
    ['after a day is worth what it is now', -2 * DAY_MS, '25 hours', 2n * NANO_PER_USD],
  ])('a payment in bitcoin that is final %s', async (_what, skewMs, age, creditedNano) => {
    const gateway = scriptedGateway()
    const shop = await createPaymentsForTest({ database: getDatabase(), gateways: [gateway] })
    setMachineClock(Date.now() + skewMs)
    const { gatewayInvoiceId, invoiceId } = await shop.createInvoice('1')
    await sql`update invoice set expires_at = now() - ${age}::interval where id = ${invoiceId}`.execute(
      getDatabase().kysely,
    )
    const worth = { bitcoin: decimal('0.00002'), atInvoiceRateNano: NANO_PER_USD }
    const payment = { paymentId: randomUUID(), ...worth, receivedInTime: true, settled: true }
    gateway.tell(gatewayInvoiceId, { state: 'Settled', bitcoinPayments: [payment] })
    expect(await shop.payments.recheckInvoice({ invoiceId })).toMatchObject({ creditedNano })
  })
})

describeOnPostgres('with a gateway whose times cannot be true', getDatabase => {
  test.each([
    ['in the past', new Date(0)],
    ['two days after the invoice is due', new Date(Date.now() + 2 * DAY_MS)],
    ['milliseconds taken for seconds', new Date(Date.now() * 1000)],
  ])('an invoice expires when it was meant to (%s)', async (_what, expiresAt) => {
    const gateway = scriptedGateway()
    const shop = await createPaymentsForTest({
      database: getDatabase(),
      gateways: [
        {
          ...gateway,
          createInvoice: async request => ({ ...(await gateway.createInvoice(request)), expiresAt }),
        },
      ],
    })
    const invoice = await shop.createInvoice('1')
    expect(invoice.expiresAt.getTime() - invoice.createdAt.getTime()).toBe(15 * 60_000)
  })
})
