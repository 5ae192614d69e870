import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { sql } from 'kysely'
import { describeOnPostgres } from '@/lib/db/testing'
import { openTestSession } from '@/lib/db/testing-session'
import { untilWaiting } from '@/lib/ledger/server/model/stepped-races'
import { NANO_PER_USD } from '@/lib/money/nano'
import { startBtcpayStandIn } from '@/test/stand-ins/btcpay'
import { startLyingProxy } from '@/test/stand-ins/lying-proxy'
import { listenToLog } from '@/test/support/log-lines'
import { GatewayError } from '../domain/gateway'
import type { Invoice } from '../domain/invoice'
import { createBtcpayGateway } from '../gateways/btcpay/btcpay-gateway'
import { createPaymentsForTest } from './testing'

const DOLLAR = NANO_PER_USD

/** BTCPay Server's list of an invoice's payments does not say whose it is. */
describeOnPostgres('a payment of an invoice that a proxy shows as another’s', (getDatabase, getUrl) => {
  let standIn: Awaited<ReturnType<typeof startBtcpayStandIn>>
  let proxy: Awaited<ReturnType<typeof startLyingProxy>>
  let log: ReturnType<typeof listenToLog>
  beforeEach(async () => {
    log = listenToLog()
    standIn = await startBtcpayStandIn()
    proxy = await startLyingProxy(standIn.url)
  })
  afterEach(async () => {
    log.stop()
    await Promise.all([proxy.stop(), standIn.stop()])
  })

  /** A person with an invoice over ten dollars. */
  async function openPerson() {
    const gateway = createBtcpayGateway({ ...standIn.settings, url: proxy.url })
    const shop = await createPaymentsForTest({ database: getDatabase(), gateways: [gateway] })
    const invoice = await shop.createInvoice('10')
    return { ...shop, invoice, check: () => shop.payments.recheckInvoice(invoice) }
  }
  const pay = ({ gatewayInvoiceId }: Invoice) => standIn.invoice(gatewayInvoiceId).pay(50n, true)
  /** Every list of payments becomes that of this invoice. */
  const mixUp = ({ gatewayInvoiceId }: Invoice) =>
    proxy.lie(text => {
      const isList = text.includes('"paymentMethodId"')
      return isList ? JSON.stringify(standIn.invoice(gatewayInvoiceId).toPaymentMethods()) : text
    })
  const warnings = () => log.lines().filter(({ message }) => String(message).includes('another invoice'))

  test('is credited once, refused there, and reported to the operator', async () => {
    const [payer, other] = [await openPerson(), await openPerson()]
    pay(payer.invoice)
    await payer.check()
    pay(payer.invoice)
    mixUp(payer.invoice)
    await expect(other.check()).rejects.toThrow(GatewayError)
    expect(warnings()).toMatchObject([
      {
        level: 'warn',
        invoiceId: other.invoice.invoiceId,
        paidInvoiceId: payer.invoice.invoiceId,
      },
    ])
    proxy.lie(null)
    await Promise.all([payer.check(), other.check()])
    expect(await payer.balanceNano()).toBe(10n * DOLLAR)
    expect(await other.balanceNano()).toBe(0n)
    pay(other.invoice)
    await other.check()
    expect(await other.balanceNano()).toBe(5n * DOLLAR)
  })

  test('is credited once if it is shown as that of many at once', async () => {
    const people = await Promise.all(Array.from({ length: 8 }, openPerson))
    const [payer] = people
    if (!payer) throw new Error('There is no payer.')
    pay(payer.invoice)
    pay(payer.invoice)
    mixUp(payer.invoice)
    await Promise.allSettled(people.flatMap(({ check }) => [check(), check()]))
    const balances = await Promise.all(people.map(({ balanceNano }) => balanceNano()))
    expect(balances.filter(nano => nano !== 0n)).toEqual([10n * DOLLAR])
  })

  test('is not taken back from another once it is refunded, whose list of payouts the proxy mixes up', async () => {
    const [payer, other] = [await openPerson(), await openPerson()]
    const [refundId] = [payer, other].map(({ invoice }) => {
      pay(invoice)
      return standIn.refunds.create(invoice.gatewayInvoiceId, { currency: 'USD', amount: '1' })
    })
    if (refundId === undefined) throw new Error('Nothing is refunded.')
    standIn.refunds.claim(refundId, '1', '0.00001', 'Completed')
    const payouts = standIn.refunds.answer(`/api/v1/pull-payments/${refundId}/payouts`, new URLSearchParams())
    proxy.lie(text => (text === '[]' ? JSON.stringify(payouts?.body) : text))
    await payer.check()
    await expect(other.check()).rejects.toThrow(GatewayError)
    expect(await payer.balanceNano()).toBe(4n * DOLLAR)
    expect(await other.balanceNano()).toBe(5n * DOLLAR)
  })

  test('is no payment of two if a server lists none and tells a late total of each', async () => {
    const people = [await openPerson(), await openPerson()]
    proxy.lie(text =>
      text
        .replaceAll(/"payments":\[[^\]]*\]/g, '"payments":[]')
        .replaceAll(/"additionalStatus":"[^"]*"/g, '"additionalStatus":"PaidLate"'),
    )
    for (const { invoice, check, balanceNano } of people) {
      pay(invoice)
      await check()
      expect(await balanceNano()).toBe(5n * DOLLAR)
    }
  })

  test('is refused if a server of an older version has recorded it, which knows nothing of its gateway', async () => {
    const [payer, other] = [await openPerson(), await openPerson()]
    const { id: paymentId } = pay(payer.invoice)
    const record = ({ invoiceId }: Invoice) =>
      sql`insert into invoice_payment (invoice_id, payment_id, bitcoin, in_time, at_invoice_rate_nano, worth_nano)
        values (${invoiceId}, ${paymentId}, '0.0001', true, ${5n * DOLLAR}, ${5n * DOLLAR})
        on conflict (invoice_id, payment_id) do update set in_time = true`.execute(getDatabase().kysely)
    for (let check = 0; check < 2; check += 1) await record(payer.invoice)
    await expect(record(other.invoice)).rejects.toThrow('invoice_payment_once')
    mixUp(payer.invoice)
    await expect(other.check()).rejects.toThrow(GatewayError)
    await payer.check()
    expect(await payer.balanceNano()).toBe(5n * DOLLAR)
    expect(await other.balanceNano()).toBe(0n)
  })

  test('is waited for in one order, so that two processes never wait for each other', async () => {
    const [payer, other] = [await openPerson(), await openPerson()]
    const ids = [pay(payer.invoice), pay(payer.invoice)].map(({ id }) => id).sort()
    const process = await openTestSession(getUrl())
    const record = (paymentId?: string) =>
      process.run(
        `insert into invoice_payment (invoice_id, payment_id, bitcoin, in_time, at_invoice_rate_nano)
          values ($1, $2, '0.0001', true, 1)`,
        [payer.invoice.invoiceId, paymentId],
      )
    const [first, ...rest] = standIn.invoice(payer.invoice.gatewayInvoiceId).toPaymentMethods()
    const descending = first?.payments.toSorted((left, right) => (left.id < right.id ? 1 : -1))
    const told = JSON.stringify([{ ...first, payments: descending }, ...rest])
    proxy.lie(text => (text.includes('"paymentMethodId"') ? told : text))
    try {
      await process.run('begin')
      await record(ids[0])
      const refused = expect(other.check()).rejects.toThrow(GatewayError)
      await untilWaiting(getDatabase(), 1)
      await record(ids[1])
      await process.run('commit')
      await refused
    } finally {
      await process.close()
    }
  })

  test('is refused while another process is recording it for its own', async () => {
    const [payer, other] = [await openPerson(), await openPerson()]
    const { id: paymentId } = pay(payer.invoice)
    const process = await openTestSession(getUrl())
    await process.run('begin')
    await process.run(
      `insert into invoice_payment (invoice_id, payment_id, bitcoin, in_time, at_invoice_rate_nano)
        values ($1, $2, '0.0001', true, 1)`,
      [payer.invoice.invoiceId, paymentId],
    )
    mixUp(payer.invoice)
    const refused = expect(other.check()).rejects.toThrow(GatewayError)
    await untilWaiting(getDatabase(), 1)
    await process.run('commit')
    await process.close()
    await refused
    await payer.check()
    expect(await payer.balanceNano()).toBe(5n * DOLLAR)
    expect(await other.balanceNano()).toBe(0n)
  })
})
