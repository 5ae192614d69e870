import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { sql } from 'kysely'
import { describeOnPostgres } from '@/lib/db/testing'
import { NANO_PER_USD } from '@/lib/money/nano'
import { type BtcpayStandInOptions, startBtcpayStandIn } from '@/test/stand-ins/btcpay'
import { formatBitcoin } from '@/test/stand-ins/btcpay-invoice'
import type { PayoutState } from '@/test/stand-ins/btcpay-refunds'
import { createBtcpayGateway } from '../gateways/btcpay/btcpay-gateway'
import { createPaymentsForTest, decimal } from './testing'

const DOLLAR = NANO_PER_USD
const PARALLEL_DELIVERIES = 20
/** How long the store's list of pull payments is cached. */
const LIST_KEPT_SECONDS = 60

describeOnPostgres('a refund by BTCPay Server', getDatabase => {
  let nowSeconds: number
  let standIn: Awaited<ReturnType<typeof startBtcpayStandIn>>
  let shop: Awaited<ReturnType<typeof createPaymentsForTest>>
  let stderr: jest.SpiedFunction<typeof process.stderr.write>

  async function open(options: BtcpayStandInOptions = {}) {
    nowSeconds = Math.floor(Date.now() / 1000)
    standIn = await startBtcpayStandIn({ now: () => nowSeconds, ...options })
    standIn.setRate(10_000_000n)
    const gateway = createBtcpayGateway(standIn.settings, () => nowSeconds * 1000)
    const bonuses = { 'btc-lightning': decimal('0.1') }
    shop = await createPaymentsForTest({ database: getDatabase(), gateways: [gateway], bonuses })
  }
  async function paid(percent = 100n) {
    const invoice = await shop.createInvoice('100')
    const atGateway = standIn.invoice(invoice.gatewayInvoiceId)
    atGateway.pay(percent, true)
    await shop.payments.recheckInvoice(invoice)
    return { ...invoice, satoshis: (atGateway.satoshisDue * percent) / 100n }
  }
  type Paid = Awaited<ReturnType<typeof paid>>
  /** The payer claims this percentage of the payment, in bitcoin. */
  function refund(invoice: Paid, percent: bigint, state: PayoutState = 'Completed') {
    const amount = formatBitcoin((invoice.satoshis * percent) / 100n)
    const id = standIn.refunds.create(invoice.gatewayInvoiceId, { currency: 'BTC', amount })
    return { id, payoutId: standIn.refunds.claim(id, amount, amount, state) }
  }
  const deliver = ({ rawBody, headers }: { rawBody: string; headers: Record<string, string> }) =>
    shop.deliver(rawBody, headers)
  const tell = (payoutId: string) => deliver(standIn.payoutWebhook('PayoutUpdated', payoutId))
  const makeDue = () =>
    sql`update invoice set next_check_at = now() - interval '1 second'`.execute(getDatabase().kysely)

  beforeEach(async () => {
    stderr = jest.spyOn(process.stderr, 'write').mockReturnValue(true)
    await open()
  })
  afterEach(async () => {
    stderr.mockRestore()
    await standIn.stop()
  })

  test('takes back the payment and its bonus once, however often it is reported', async () => {
    const invoice = await paid()
    expect(await shop.balanceNano()).toBe(110n * DOLLAR)
    const { payoutId } = refund(invoice, 100n)
    const outcomes = await Promise.all(Array.from({ length: PARALLEL_DELIVERIES }, () => tell(payoutId)))
    expect(new Set(outcomes.map(({ outcome }) => outcome))).toEqual(new Set(['handled']))
    expect(await shop.balanceNano()).toBe(0n)
    expect(await shop.payments.recheckInvoice(invoice)).toMatchObject({
      refundSeenNano: 100n * DOLLAR,
      reversedNano: 100n * DOLLAR,
      reversedBonusNano: 10n * DOLLAR,
    })
  })

  test('of a part takes back the same part of payment and bonus, each once', async () => {
    const invoice = await paid()
    const first = refund(invoice, 25n)
    await tell(first.payoutId)
    expect(await shop.balanceNano()).toBe((110n * DOLLAR * 75n) / 100n)
    const second = refund(invoice, 50n)
    await Promise.all([tell(second.payoutId), tell(first.payoutId), tell(second.payoutId)])
    expect(await shop.balanceNano()).toBe((110n * DOLLAR * 25n) / 100n)
    await tell(refund(invoice, 25n).payoutId)
    expect(await shop.balanceNano()).toBe(0n)
  })

  test('of several parts that are found at once takes back as much as one of all of them', async () => {
    const invoice = await paid()
    refund(invoice, 25n)
    refund(invoice, 20n)
    await tell(refund(invoice, 5n).payoutId)
    expect(await shop.balanceNano()).toBe(55n * DOLLAR)
  })

  test('in dollars takes back that many dollars, whatever the rate has become', async () => {
    const invoice = await paid()
    standIn.setRate(20_000_000n)
    const id = standIn.refunds.create(invoice.gatewayInvoiceId, { currency: 'USD', amount: '100' })
    await tell(standIn.refunds.claim(id, '60', '0.0003', 'Completed'))
    expect(await shop.balanceNano()).toBe(44n * DOLLAR)
  })

  test('in satoshis takes back that much bitcoin, even if the server does not tell what was sent', async () => {
    const invoice = await paid()
    const amount = String(invoice.satoshis / 2n)
    const id = standIn.refunds.create(invoice.gatewayInvoiceId, { currency: 'SATS', amount })
    await tell(standIn.refunds.claim(id, amount, null, 'Completed'))
    expect(await shop.balanceNano()).toBe(55n * DOLLAR)
  })

  test('in a currency that has no rate here takes back the bitcoin that was sent', async () => {
    const invoice = await paid()
    const id = standIn.refunds.create(invoice.gatewayInvoiceId, { currency: 'EUR', amount: '90' })
    await tell(standIn.refunds.claim(id, '45', formatBitcoin(invoice.satoshis / 2n), 'Completed'))
    expect(await shop.balanceNano()).toBe(55n * DOLLAR)
  })

  test('in such a currency is not passed over while the server does not tell what was sent', async () => {
    const invoice = await paid()
    const id = standIn.refunds.create(invoice.gatewayInvoiceId, { currency: 'EUR', amount: '90' })
    const payoutId = standIn.refunds.claim(id, '45', null, 'Completed')
    await expect(tell(payoutId)).rejects.toMatchObject({ name: 'GatewayError' })
    expect(await shop.balanceNano()).toBe(110n * DOLLAR)
  })

  test.each<PayoutState>(['AwaitingApproval', 'AwaitingPayment', 'InProgress', 'Cancelled'])(
    'takes back nothing while its payout is %s',
    async state => {
      const invoice = await paid()
      const { payoutId } = refund(invoice, 100n, state)
      expect(await tell(payoutId)).toEqual({ outcome: 'handled' })
      expect(await shop.balanceNano()).toBe(110n * DOLLAR)
      standIn.refunds.move(payoutId, 'Completed')
      await tell(payoutId)
      expect(await shop.balanceNano()).toBe(0n)
    },
  )

  test('whose webhook was lost is found by reconciling, also when archived', async () => {
    const invoice = await paid()
    const { id } = refund(invoice, 100n)
    standIn.refunds.archive(id)
    nowSeconds += LIST_KEPT_SECONDS
    await makeDue()
    await shop.payments.reconcile({ invoiceCountMax: 100 })
    expect(await shop.balanceNano()).toBe(0n)
  })

  test('is looked up once a minute, however often paid invoices are checked, and at once on a webhook', async () => {
    const invoices = [await paid(50n), await paid()]
    const recheckAll = () => Promise.all(invoices.map(invoice => shop.payments.recheckInvoice(invoice)))
    await recheckAll()
    await recheckAll()
    expect(standIn.refunds.listCount).toBe(1)
    nowSeconds += LIST_KEPT_SECONDS - 1
    await recheckAll()
    expect(standIn.refunds.listCount).toBe(1)
    nowSeconds += 1
    await recheckAll()
    expect(standIn.refunds.listCount).toBe(2)
    const [partly] = invoices
    if (partly) await tell(refund(partly, 100n).payoutId)
    expect(await shop.balanceNano()).toBe(110n * DOLLAR)
  })

  test('is read from a server of version 1.x, too', async () => {
    await standIn.stop()
    await open({ payoutFieldNames: 1 })
    const invoice = await paid()
    refund(invoice, 50n)
    nowSeconds += LIST_KEPT_SECONDS
    await shop.payments.recheckInvoice(invoice)
    expect(await shop.balanceNano()).toBe(55n * DOLLAR)
  })

  test('of another invoice takes back nothing', async () => {
    const [invoice, other] = [await paid(), await paid()]
    await tell(refund(other, 100n).payoutId)
    await shop.payments.recheckInvoice(invoice)
    expect(await shop.balanceNano()).toBe(110n * DOLLAR)
  })

  test('of a late payment takes back what was credited for it, whatever the rate is', async () => {
    const invoice = await shop.createInvoice('100')
    const atGateway = standIn.invoice(invoice.gatewayInvoiceId)
    nowSeconds += 3601
    standIn.setRate(7_000_000n)
    atGateway.pay(100n, true)
    await shop.payments.recheckInvoice(invoice)
    expect(await shop.balanceNano()).toBe(70n * DOLLAR)
    standIn.setRate(14_000_000n)
    await tell(refund({ ...invoice, satoshis: atGateway.satoshisDue }, 50n).payoutId)
    expect(await shop.balanceNano()).toBe(35n * DOLLAR)
  })

  test('of a late payment without a rate is taken back once the rate is known', async () => {
    const invoice = await paid()
    const atGateway = standIn.invoice(invoice.gatewayInvoiceId)
    nowSeconds += 3601
    atGateway.pay(100n, true)
    standIn.setRateKnown(false)
    const { payoutId } = refund(invoice, 200n)
    await expect(tell(payoutId)).rejects.toMatchObject({ name: 'GatewayError' })
    standIn.setRateKnown(true)
    await tell(payoutId)
    expect(await shop.payments.recheckInvoice(invoice)).toMatchObject({
      paidNano: 200n * DOLLAR,
      refundSeenNano: 200n * DOLLAR,
    })
    expect(await shop.balanceNano()).toBe(0n)
  })

  test('of the part that was never credited takes back nothing', async () => {
    const invoice = await shop.createInvoice('1000')
    const atGateway = standIn.invoice(invoice.gatewayInvoiceId)
    atGateway.pay(200n, true)
    await shop.payments.recheckInvoice(invoice)
    expect(await shop.balanceNano()).toBe(1100n * DOLLAR)
    const satoshis = atGateway.satoshisDue * 2n
    await tell(refund({ ...invoice, satoshis }, 50n).payoutId)
    expect(await shop.balanceNano()).toBe(1100n * DOLLAR)
    await tell(refund({ ...invoice, satoshis }, 25n).payoutId)
    expect(await shop.balanceNano()).toBe(550n * DOLLAR)
  })

  test('of an invoice that the operator marked settled takes back its part of the amount', async () => {
    const invoice = await shop.createInvoice('100')
    const atGateway = standIn.invoice(invoice.gatewayInvoiceId)
    Object.assign(atGateway, { status: 'Settled', additionalStatus: 'Marked' })
    await shop.payments.recheckInvoice(invoice)
    expect(await shop.balanceNano()).toBe(100n * DOLLAR)
    await tell(refund({ ...invoice, satoshis: atGateway.satoshisDue }, 50n).payoutId)
    expect(await shop.balanceNano()).toBe(50n * DOLLAR)
  })

  describe('cannot be forged', () => {
    test('by a webhook without our secret’s signature', async () => {
      const invoice = await paid()
      const { payoutId } = refund(invoice, 100n)
      const good = standIn.payoutWebhook('PayoutUpdated', payoutId)
      for (const forged of [
        standIn.payoutWebhook('PayoutUpdated', payoutId, 'guess'),
        standIn.payoutWebhook('PayoutUpdated', payoutId, ''),
        { ...good, headers: {} },
        { ...good, rawBody: `${good.rawBody} ` },
      ])
        expect(await deliver(forged)).toEqual({ outcome: 'refused' })
      expect(await shop.balanceNano()).toBe(110n * DOLLAR)
    })

    test('by a signed webhook that the server’s data does not confirm', async () => {
      const invoice = await paid()
      const { payoutId: takenBack } = refund(invoice, 100n)
      const completed = standIn.payoutWebhook('PayoutUpdated', takenBack)
      standIn.refunds.move(takenBack, 'Cancelled')
      expect(await deliver(completed)).toEqual({ outcome: 'handled' })
      const nobodys = standIn.refunds.create('no invoice of ours', { currency: 'USD', amount: '5' })
      const payoutId = standIn.refunds.claim(nobodys, '5', '0.00005', 'Completed')
      expect(await tell(payoutId)).toEqual({ outcome: 'ignored' })
      expect(await shop.balanceNano()).toBe(110n * DOLLAR)
    })
  })

  test('that the API key may not read does not stop payments, and the missing permission is logged', async () => {
    standIn.setMayViewPullPayments(false)
    const invoice = await paid()
    expect(await shop.balanceNano()).toBe(110n * DOLLAR)
    expect(stderr.mock.calls.flat().join()).toContain('canviewpullpayments')
    refund(invoice, 100n)
    standIn.setMayViewPullPayments(true)
    nowSeconds += LIST_KEPT_SECONDS
    await shop.payments.recheckInvoice(invoice)
    expect(await shop.balanceNano()).toBe(0n)
  })
})
