import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { sql } from 'kysely'
import { describeOnPostgres } from '@/lib/db/testing'
import { openTestSession } from '@/lib/db/testing-session'
import { untilWaiting } from '@/lib/ledger/server/model/stepped-races'
import { NANO_PER_USD } from '@/lib/money/nano'
import { startBtcpayStandIn } from '@/test/stand-ins/btcpay'
import { startJsonServer } from '@/test/stand-ins/json-server'
import { additionalStatus } from '../domain/invoice'
import type { MethodId } from '../domain/payment-method'
import { createBtcpayGateway } from '../gateways/btcpay/btcpay-gateway'
import { createPaymentsForTest, decimal } from './testing'

const DOLLAR = NANO_PER_USD
const CENTS_AT_ORDER = 10_000_000n
const CENTS_NOW = 7_000_000n

describeOnPostgres('a bitcoin payment', (getDatabase, getUrl) => {
  let nowSeconds: number
  let standIn: Awaited<ReturnType<typeof startBtcpayStandIn>>
  let shop: Awaited<ReturnType<typeof openShop>>

  async function openShop(rateUrl: string | null = null) {
    const gateway = createBtcpayGateway({ ...standIn.settings, rateUrl })
    const bonuses = { 'btc-lightning': decimal('0.1'), btc: decimal('0.1') }
    return createPaymentsForTest({ database: getDatabase(), gateways: [gateway], bonuses })
  }
  async function order(dollars: string, methodId: MethodId = 'btc') {
    const invoice = await shop.createInvoice(dollars, methodId)
    const atGateway = standIn.invoice(invoice.gatewayInvoiceId)
    return {
      pay: (percent: bigint, settled = true) => atGateway.pay(percent, settled),
      confirm: () => atGateway.confirm(),
      /** What the operator does who has seen the money elsewhere. */
      declarePaid: () => Object.assign(atGateway, { status: 'Settled', additionalStatus: 'Marked' }),
      check: async () => {
        const seen = await shop.payments.recheckInvoice(invoice)
        if (!seen) throw new Error('The invoice is gone.')
        return seen
      },
      deliver: () => {
        const { rawBody, headers } = standIn.webhook('InvoiceReceivedPayment', invoice.gatewayInvoiceId)
        return shop.deliver(rawBody, headers)
      },
      /** Makes the invoice as old as if it had expired that long ago. */
      age: (interval: string) =>
        sql`update invoice set expires_at = now() - ${interval}::interval where id = ${invoice.invoiceId}`.execute(
          getDatabase().kysely,
        ),
    }
  }
  let stderr: jest.SpiedFunction<typeof process.stderr.write>
  let source: Awaited<ReturnType<typeof startJsonServer>> | null
  /** The address of a source of rates that the operator configured. */
  async function rateSource(amount: () => string | Promise<string>): Promise<string> {
    source = await startJsonServer({
      answer: async () => {
        return { status: 200, body: { data: { amount: await amount(), base: 'BTC', currency: 'USD' } } }
      },
    })
    return source.url
  }
  const passItsTime = () => {
    nowSeconds += 3601
    standIn.setRate(CENTS_NOW)
  }

  beforeEach(async () => {
    source = null
    nowSeconds = Math.floor(Date.now() / 1000)
    standIn = await startBtcpayStandIn({ now: () => nowSeconds })
    standIn.setRate(CENTS_AT_ORDER)
    shop = await openShop()
    await sql`delete from invoice_payment`.execute(getDatabase().kysely)
    await sql`delete from invoice`.execute(getDatabase().kysely)
    stderr = jest.spyOn(process.stderr, 'write').mockReturnValue(true)
  })
  afterEach(async () => {
    stderr.mockRestore()
    await Promise.all([standIn.stop(), source?.stop()])
  })

  describe('after its invoice’s expiry', () => {
    test('is credited at the rate of its arrival, without a bonus, and marked as paid late', async () => {
      const invoice = await order('1000')
      passItsTime()
      invoice.pay(100n)
      await invoice.deliver()
      expect(await shop.balanceNano()).toBe(700n * DOLLAR)
      const seen = await invoice.check()
      expect(seen).toMatchObject({ state: 'Expired', paidNano: 700n * DOLLAR, inTimeNano: 0n, bonusNano: 0n })
      expect(additionalStatus(seen)).toBe('paid_late')
    })

    test('is credited at the rate of its arrival, also if it has risen', async () => {
      const invoice = await order('1000')
      passItsTime()
      standIn.setRate(12_000_000n)
      invoice.pay(100n)
      expect(await invoice.check()).toMatchObject({ state: 'Settled', creditedNano: 1200n * DOLLAR })
    })

    test('is credited exactly the invoice’s amount if the rate has not changed', async () => {
      const invoice = await order('99.99')
      passItsTime()
      standIn.setRate(CENTS_AT_ORDER)
      invoice.pay(100n)
      expect(await invoice.check()).toMatchObject({ state: 'Settled', creditedNano: (9999n * DOLLAR) / 100n })
    })

    test('keeps the rate of the first finished check under parallel checks', async () => {
      const checks: Promise<unknown>[] = []
      const answers = ['80000.00', '90000.00']
      // While the first check waits for its rate, another one finishes with a lower rate.
      const url = await rateSource(async () => {
        const late = answers.pop()
        if (late === undefined) return '70000.00'
        checks.push(invoice.check())
        await checks.at(-1)
        return late
      })
      shop = await openShop(url)
      const invoice = await order('1000')
      passItsTime()
      invoice.pay(100n)
      await invoice.check()
      expect(checks).toHaveLength(2)
      expect(await invoice.check()).toMatchObject({ paidNano: 700n * DOLLAR, creditedNano: 700n * DOLLAR })
      expect(await shop.balanceNano()).toBe(700n * DOLLAR)
    })

    test.each([
      ['fallen', 6_000_000n, 600n],
      ['risen', 8_000_000n, 700n],
    ])(
      'that was first seen unconfirmed is credited at the lower rate (%s since)',
      async (_which, cents, dollars) => {
        const invoice = await order('1000')
        passItsTime()
        invoice.pay(100n, false)
        expect(await invoice.check()).toMatchObject({ paidNano: 0n })
        standIn.setRate(cents)
        invoice.confirm()
        expect(await invoice.check()).toMatchObject({ creditedNano: dollars * DOLLAR })
      },
    )

    test('waits for a rate, without delaying payments that need none', async () => {
      const invoice = await order('1000')
      invoice.pay(50n)
      passItsTime()
      invoice.pay(50n)
      standIn.setRateKnown(false)
      await expect(invoice.deliver()).rejects.toMatchObject({ name: 'GatewayError' })
      // The payment in time is credited with its bonus.
      expect(await shop.balanceNano()).toBe(550n * DOLLAR)
      standIn.setRateKnown(true)
      await invoice.deliver()
      expect(await shop.balanceNano()).toBe((550n + 350n) * DOLLAR)
    })

    test('is credited at the rate of the configured source', async () => {
      shop = await openShop(await rateSource(() => '60000.00'))
      const [first, second] = [await order('1000'), await order('1000')]
      passItsTime()
      first.pay(100n)
      expect(await first.check()).toMatchObject({ creditedNano: 600n * DOLLAR })
      await source?.stop()
      second.pay(100n)
      // If that source is out of reach, the store’s own rate counts.
      expect(await second.check()).toMatchObject({ creditedNano: 700n * DOLLAR })
    })

    test('is credited up to the method’s maximum in total, and the rest is left to the operator’s review', async () => {
      const invoice = await order('10000')
      passItsTime()
      invoice.pay(500n)
      invoice.pay(500n)
      const seen = await invoice.check()
      expect(seen).toMatchObject({
        paidNano: 70_000n * DOLLAR,
        creditedNano: 10_000n * DOLLAR,
        bonusNano: 0n,
      })
      expect(additionalStatus(seen)).toBe('under_review')
      expect(await shop.balanceNano()).toBe(10_000n * DOLLAR)
      expect(stderr.mock.calls.flat().join()).toMatch(
        new RegExp(`60000 USD arrived above the maximum that is credited .*"invoiceId":"${seen.invoiceId}"`),
      )
      expect(await shop.payments.listUnderReview()).toEqual([{ ...seen, readAt: expect.anything() }])
      await sql`update invoice set refund_seen_nano = ${60_000n * DOLLAR}`.execute(getDatabase().kysely)
      expect(await shop.payments.listUnderReview()).toEqual([])
    })

    test('is approved by one of two operators, and no more of it than there is', async () => {
      const invoice = await order('10000')
      passItsTime()
      invoice.pay(200n)
      const { invoiceId } = await invoice.check()
      const approve = (operator: string) =>
        shop.payments.creditRest({ invoiceId, amountNano: 9_000n * DOLLAR, operator, reason: 'known' })
      const other = await openTestSession(getUrl())
      await other.run('begin')
      await other.run('update invoice set approved_nano = $1 where id = $2', [1_000n * DOLLAR, invoiceId])
      const approved = approve('eve')
      await untilWaiting(getDatabase(), 1, approved)
      await other.run('commit')
      await other.close()
      expect(await approved).toMatchObject({ approvedNano: 3_000n * DOLLAR })
      expect(await approve('bob')).toMatchObject({ approvedNano: 0n })
      const { rows } = await sql`select approved_by from invoice`.execute(getDatabase().kysely)
      expect(rows).toEqual([{ approved_by: 'eve' }])
    })

    test('has its own worth beside another one that was waited for as well', async () => {
      const invoice = await order('1000')
      passItsTime()
      for (const percent of [50n, 20n]) invoice.pay(percent, false)
      expect(await invoice.check()).toMatchObject({ paidNano: 0n })
      invoice.confirm()
      expect(await invoice.check()).toMatchObject({ paidNano: 490n * DOLLAR })
    })

    test('is approved for one invoice at a time, with the name of who approved that one', async () => {
      const invoices = [await order('10000'), await order('10000')]
      passItsTime()
      for (const invoice of invoices) invoice.pay(200n)
      const ids: string[] = []
      for (const invoice of invoices) ids.push((await invoice.check()).invoiceId)
      const [first = '', second = ''] = ids
      const approve = (invoiceId: string, operator: string) =>
        shop.payments.creditRest({ invoiceId, amountNano: null, operator, reason: 'known' })
      await approve(first, 'grace')
      expect(await shop.payments.listUnderReview()).toMatchObject([{ invoiceId: second, approvedNano: 0n }])
      await approve(second, 'eve')
      const { rows } = await sql`
        select memo ->> 'invoice_id' as invoice, memo ->> 'operator' as operator from transfer
        where memo ->> 'operator' is not null and memo ->> 'invoice_id' in (${first}, ${second})
        order by operator desc`.execute(getDatabase().kysely)
      expect(rows).toEqual([
        { invoice: first, operator: 'grace' },
        { invoice: second, operator: 'eve' },
      ])
    })

    test('is credited in full once the operator approves, and a later one waits for review again', async () => {
      const invoice = await order('10000')
      passItsTime()
      invoice.pay(200n)
      const { invoiceId } = await invoice.check()
      const approve = (amountNano: bigint | null) =>
        shop.payments.creditRest({ invoiceId, amountNano, operator: 'ada', reason: 'known' })
      expect(await approve(DOLLAR)).toMatchObject({ approvedNano: DOLLAR })
      expect(await shop.balanceNano()).toBe(10_001n * DOLLAR)
      const answers = await Promise.all([approve(null), approve(null), approve(null)])
      const approved = answers.map(answer => answer?.approvedNano ?? 0n).sort()
      expect(approved).toEqual([0n, 0n, 3999n * DOLLAR])
      expect(await shop.balanceNano()).toBe(14_000n * DOLLAR)
      const { rows } = await sql<{ memo: object }>`
        select memo from transfer where memo ->> 'operator' = 'ada'`.execute(getDatabase().kysely)
      expect(rows).toHaveLength(2)
      expect(rows[0]?.memo).toMatchObject({ invoice_id: invoiceId, reason: 'known' })
      expect(await shop.payments.listUnderReview()).toEqual([])
      invoice.pay(10n)
      expect(additionalStatus(await invoice.check())).toBe('under_review')
      expect(await shop.balanceNano()).toBe(14_000n * DOLLAR)
    })
  })

  describe('before its invoice’s expiry', () => {
    test('is credited at the invoice’s rate up to twice the amount, and beyond that at the rate of its arrival', async () => {
      const invoice = await order('1000')
      standIn.setRate(CENTS_NOW)
      invoice.pay(200n)
      expect(await invoice.check()).toMatchObject({ creditedNano: 2000n * DOLLAR, bonusNano: 200n * DOLLAR })
      invoice.pay(200n)
      expect(await invoice.check()).toMatchObject({ creditedNano: 3400n * DOLLAR, bonusNano: 340n * DOLLAR })
    })

    test('has a bonus up to the method’s maximum, and none on its late part', async () => {
      const invoice = await order('900', 'btc-lightning')
      invoice.pay(150n)
      expect(await invoice.check()).toMatchObject({
        inTimeNano: 1350n * DOLLAR,
        creditedNano: 1000n * DOLLAR,
        bonusNano: 100n * DOLLAR,
      })
      const other = await order('100', 'btc-lightning')
      other.pay(50n)
      passItsTime()
      other.pay(100n)
      expect(await other.check()).toMatchObject({ creditedNano: 120n * DOLLAR, bonusNano: 5n * DOLLAR })
    })

    test('is part of the amount that the operator declares paid at the gateway', async () => {
      const invoice = await order('1000')
      invoice.pay(50n)
      expect(await invoice.check()).toMatchObject({ creditedNano: 500n * DOLLAR })
      invoice.declarePaid()
      const paid = { state: 'Settled', creditedNano: 1000n * DOLLAR, bonusNano: 50n * DOLLAR }
      expect(await invoice.check()).toMatchObject(paid)
      expect(await shop.balanceNano()).toBe(1050n * DOLLAR)
    })

    test('keeps the invoice’s rate if it is confirmed within a day', async () => {
      const invoice = await order('1000')
      invoice.pay(100n, false)
      await invoice.check()
      passItsTime()
      await invoice.age('23 hours')
      invoice.confirm()
      expect(await invoice.check()).toMatchObject({ creditedNano: 1000n * DOLLAR, bonusNano: 100n * DOLLAR })
      await invoice.age('25 hours')
      expect(await invoice.check()).toMatchObject({ paidNano: 1000n * DOLLAR, inTimeNano: 1000n * DOLLAR })
    })

    test('is credited at the current rate if it is confirmed after more than a day', async () => {
      const invoice = await order('1000')
      invoice.pay(100n, false)
      await invoice.check()
      passItsTime()
      await invoice.age('25 hours')
      invoice.confirm()
      expect(await invoice.check()).toMatchObject({ creditedNano: 700n * DOLLAR, bonusNano: 0n })
    })
  })
})
