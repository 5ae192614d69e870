import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import { sql } from 'kysely'
import { describeOnPostgres } from '@/lib/db/testing'
import { openTestSession } from '@/lib/db/testing-session'
import type { Ledger } from '@/lib/ledger/domain/ledger'
import { createEmbeddedLedger } from '@/lib/ledger/server/embedded-ledger'
import { untilWaiting } from '@/lib/ledger/server/model/stepped-races'
import { NANO_PER_USD, type Nano } from '@/lib/money/nano'
import { metrics } from '@/lib/observability/metrics'
import { listenToLog } from '@/test/support/log-lines'
import { type Gateway, GatewayError, type Observation, TOLD_NANO_MAX } from '../domain/gateway'
import type { InvoiceState } from '../domain/invoice-states'
import { creditInvoice } from './credit-invoice'
import type { PaymentTables } from './payment-tables'
import { createPaymentsForTest, decimal, openScriptedShop, scriptedGateway } from './testing'

const DOLLAR = NANO_PER_USD
const PARALLEL_DELIVERIES = 50
/** Each run creates an account and an invoice; these runs cover every pair of states. */
const PROPERTY_RUN_COUNT = 20
const PROPERTY_TIMEOUT_MS = 60_000

describeOnPostgres('crediting an invoice', (getDatabase, getUrl) => {
  const openShop = (input: { ledger?: Ledger; bonus?: string } = {}) =>
    openScriptedShop({ database: getDatabase(), ...input })

  async function readMetrics() {
    const [invoices, usd] = await Promise.all([metrics.invoicesCredited.get(), metrics.creditedUsd.get()])
    const ofLightning = ({ values }: typeof usd) =>
      values.find(({ labels }) => labels.method === 'btc-lightning')?.value ?? 0
    return { invoices: ofLightning(invoices), usd: ofLightning(usd) }
  }

  test('fifty parallel deliveries credit and count it once', async () => {
    const shop = await openShop()
    const { gatewayInvoiceId } = await shop.createInvoice('1')
    const before = await readMetrics()
    for (const paidNano of [DOLLAR, 3n * DOLLAR]) {
      shop.gateway.tell(gatewayInvoiceId, { state: 'Settled', paidNano })
      await Promise.all(Array.from({ length: PARALLEL_DELIVERIES }, () => shop.deliver(gatewayInvoiceId)))
      expect(await shop.balanceNano()).toBe(paidNano)
    }
    expect(await readMetrics()).toEqual({ invoices: before.invoices + 1, usd: before.usd + 3 })
  })

  test('more than anybody pays is not believed, and forgotten once the gateway tells the truth', async () => {
    const shop = await openShop()
    const { gatewayInvoiceId } = await shop.createInvoice('1')
    const payment = { paymentId: 'payment', receivedInTime: true, settled: true }
    const tell = (bitcoin: string, atInvoiceRateNano: Nano) => {
      const bitcoinPayments = [{ ...payment, bitcoin: decimal(bitcoin), atInvoiceRateNano }]
      shop.gateway.tell(gatewayInvoiceId, { state: 'Settled', bitcoinPayments })
    }
    tell('1000000', TOLD_NANO_MAX)
    await expect(shop.deliver(gatewayInvoiceId)).rejects.toThrow(GatewayError)
    expect(await shop.balanceNano()).toBe(0n)
    tell('0.00001', DOLLAR)
    await shop.deliver(gatewayInvoiceId)
    expect(await shop.balanceNano()).toBe(DOLLAR)
  })

  test('an invoice that exists already is not sold again', async () => {
    const shop = await openShop()
    const { gatewayInvoiceId } = await shop.createInvoice('1')
    const { createInvoice } = shop.gateway
    shop.gateway.createInvoice = async request => ({ ...(await createInvoice(request)), gatewayInvoiceId })
    await expect(shop.createInvoice('1')).rejects.toThrow(GatewayError)
  })

  test('a payment after the account was merged goes to the account merged into', async () => {
    const shop = await openShop({ bonus: '0.1' })
    const { gatewayInvoiceId } = await shop.createInvoice('1')
    const other = await openShop()
    await shop.ledger.merge({ from: shop.credential, into: other.credential, reference: 'moved' })
    shop.gateway.tell(gatewayInvoiceId, { state: 'Settled', paidNano: DOLLAR })
    await shop.deliver(gatewayInvoiceId)
    expect([await shop.balanceNano(), await other.balanceNano()]).toEqual([0n, (DOLLAR * 11n) / 10n])
    const { gatewayInvoiceId: later } = await shop.createInvoice('1')
    shop.gateway.tell(later, { state: 'Settled', paidNano: DOLLAR })
    await shop.deliver(later)
    expect(await shop.balanceNano()).toBe((DOLLAR * 11n) / 10n)
  })

  test('a won dispute is returned to the account merged into meanwhile', async () => {
    const shop = await openShop()
    const { gatewayInvoiceId } = await shop.createInvoice('1')
    const tell = (told: Partial<Observation>) => {
      shop.gateway.tell(gatewayInvoiceId, { state: 'Settled', paidNano: DOLLAR, ...told })
      return shop.deliver(gatewayInvoiceId)
    }
    await tell({})
    const other = await openShop()
    await shop.ledger.merge({ from: shop.credential, into: other.credential, reference: 'disputed' })
    const dispute = { disputeId: `du_${gatewayInvoiceId}`, amountNano: DOLLAR }
    await tell({ disputes: [{ ...dispute, state: 'withdrawn' }] })
    expect(await other.balanceNano()).toBe(0n)
    await tell({ disputes: [{ ...dispute, state: 'returned' }] })
    expect([await shop.balanceNano(), await other.balanceNano()]).toEqual([0n, DOLLAR])
  })

  test('parallel deliveries of a growing total credit exactly the last total', async () => {
    const shop = await openShop()
    const { gatewayInvoiceId, invoiceId } = await shop.createInvoice('1')
    const deliveries = Array.from({ length: PARALLEL_DELIVERIES }, (_, index) => {
      shop.gateway.tell(gatewayInvoiceId, { paidNano: BigInt(index + 1) * 10_000_000n })
      return shop.deliver(gatewayInvoiceId)
    })
    await Promise.all(deliveries)
    expect(await shop.balanceNano()).toBe(DOLLAR / 2n)
    const invoice = await shop.payments.recheckInvoice({ invoiceId })
    expect(invoice).toMatchObject({ paidNano: DOLLAR / 2n, creditedNano: DOLLAR / 2n, state: 'New' })
  })

  describe.each(['before', 'after'] as const)('a crash %s the transfer', moment => {
    test('is repaired by the next check, due in a minute however old the invoice, with one credit', async () => {
      const real = createEmbeddedLedger({ database: getDatabase() })
      let crashes = 1
      const ledger: Ledger = {
        ...real,
        credit: async input => {
          if (moment === 'after') await real.credit(input)
          if (crashes > 0) {
            crashes -= 1
            throw new Error('the process died')
          }
          return real.credit(input)
        },
      }
      const shop = await openShop({ ledger })
      const { gatewayInvoiceId, invoiceId } = await shop.createInvoice('1')
      const { kysely } = getDatabase()
      await sql`update invoice set next_check_at = null where id = ${invoiceId}`.execute(kysely)
      shop.gateway.tell(gatewayInvoiceId, { state: 'Settled', paidNano: DOLLAR })
      await expect(shop.deliver(gatewayInvoiceId)).rejects.toThrow('the process died')
      const { rows } = await sql`
        select next_check_at <= now() + interval '1 minute' as is_soon from invoice
        where id = ${invoiceId}`.execute(kysely)
      expect(rows).toEqual([{ is_soon: true }])
      // Another payment arrives before the open claim is finished.
      shop.gateway.tell(gatewayInvoiceId, { paidNano: 2n * DOLLAR })
      await Promise.all([shop.deliver(gatewayInvoiceId), shop.deliver(gatewayInvoiceId)])
      expect(await shop.balanceNano()).toBe(2n * DOLLAR)
    })
  })

  test('a process that waited for another one finishes its claim before it makes one of its own', async () => {
    const shop = await openShop()
    const { gatewayInvoiceId, invoiceId } = await shop.createInvoice('1')
    const database = getDatabase().kysely.withTables<PaymentTables>()
    const context = { database, ledger: shop.ledger, gateways: [], bonuses: {} }
    await sql`update invoice set paid_nano = ${DOLLAR} where id = ${invoiceId}`.execute(database)
    const other = await openTestSession(getUrl())
    await other.run('begin')
    await other.run('update invoice set paid_nano = $1, claimed_nano = $2 where id = $3', [
      3n * DOLLAR,
      2n * DOLLAR,
      invoiceId,
    ])
    const credited = creditInvoice(context, invoiceId)
    await untilWaiting(getDatabase(), 1, credited)
    await shop.ledger.credit({
      accountId: shop.accountId,
      amountNano: 2n * DOLLAR,
      source: 'gateway',
      reference: `btcpay:${gatewayInvoiceId}:paid:${2n * DOLLAR}`,
      memo: {},
    })
    await other.run('commit')
    await credited
    await other.close()
    expect(await shop.balanceNano()).toBe(3n * DOLLAR)
  })

  test('a slow process does not record a later claim as credited before its transfer', async () => {
    const real = createEmbeddedLedger({ database: getDatabase() })
    const overtakers: (() => Promise<unknown>)[] = []
    const ledger: Ledger = {
      ...real,
      credit: async input => {
        const result = await real.credit(input)
        await overtakers.shift()?.()
        return result
      },
    }
    const shop = await openShop({ ledger })
    const { gatewayInvoiceId, invoiceId } = await shop.createInvoice('1')
    const run = (statement: ReturnType<typeof sql>) => statement.execute(getDatabase().kysely)
    shop.gateway.tell(gatewayInvoiceId, { paidNano: DOLLAR })
    // Between transfer and record, another process finishes the claim, opens the next one, and dies.
    overtakers.push(async () => {
      shop.gateway.tell(gatewayInvoiceId, { paidNano: 2n * DOLLAR })
      await run(sql`update invoice set credited_nano = claimed_nano where id = ${invoiceId}`)
      await run(sql`update invoice set paid_nano = ${2n * DOLLAR}, claimed_nano = ${2n * DOLLAR}
        where id = ${invoiceId}`)
    })
    await shop.deliver(gatewayInvoiceId)
    await shop.deliver(gatewayInvoiceId)
    expect(await shop.balanceNano()).toBe(2n * DOLLAR)
  })

  test('a slow process does not record a later bonus as credited before its transfer', async () => {
    const real = createEmbeddedLedger({ database: getDatabase() })
    let overtake: (() => Promise<unknown>) | null = null
    let isDying = false
    const credit: Ledger['credit'] = async input => {
      if (isDying && input.source === 'promotion' && input.amountNano === 20n * DOLLAR)
        throw new Error('the process died')
      const result = await real.credit(input)
      const overtaking = overtake
      overtake = null
      await overtaking?.()
      return result
    }
    const shop = await openShop({ ledger: { ...real, credit }, bonus: '0.1' })
    const { gatewayInvoiceId } = await shop.createInvoice('1000')
    const tell = (told: Partial<Observation>) => {
      shop.gateway.tell(gatewayInvoiceId, { paidLate: true, ...told })
      return shop.deliver(gatewayInvoiceId)
    }
    // The maximum is credited already, so that each payment in time only adds a bonus.
    await tell({ paidNano: 1_000n * DOLLAR })
    overtake = async () => {
      isDying = true
      const dying = tell({ paidNano: 1_500n * DOLLAR, inTimeNano: 500n * DOLLAR })
      await expect(dying).rejects.toThrow('the process died')
      isDying = false
    }
    await tell({ paidNano: 1_300n * DOLLAR, inTimeNano: 300n * DOLLAR })
    expect(await shop.balanceNano()).toBe(1_050n * DOLLAR)
  })

  test(
    'the same observations in any order and number lead to the same state',
    async () => {
      const observation = fc.record({
        state: fc.constantFrom<InvoiceState>('New', 'Processing', 'Expired', 'Invalid', 'Settled'),
        paidNano: fc.constantFrom(0n, DOLLAR / 2n, DOLLAR, (DOLLAR * 17n) / 10n),
        inTimeNano: fc.constantFrom(0n, DOLLAR / 2n, DOLLAR),
        paidLate: fc.boolean(),
        refundedNano: fc.constantFrom(0n, DOLLAR / 4n, DOLLAR / 2n),
      })
      const orders = fc
        .array(observation, { minLength: 1, maxLength: 5 })
        .chain(news => fc.tuple(fc.constant(news), fc.shuffledSubarray(news, { minLength: news.length })))
      const shop = await openShop({ bonus: '0.1' })
      const hear = async (news: Partial<Observation>[]) => {
        const { gatewayInvoiceId, invoiceId } = await shop.createInvoice('1')
        for (const seen of [...news, ...news]) {
          shop.gateway.tell(gatewayInvoiceId, seen)
          await shop.deliver(gatewayInvoiceId)
        }
        const invoice = await shop.payments.getInvoice({ accountId: shop.accountId, invoiceId })
        if (!invoice) throw new Error('The invoice is gone.')
        const { state, paidLate, paidNano, inTimeNano, creditedNano, bonusNano, reversedNano } = invoice
        return { state, paidLate, paidNano, inTimeNano, creditedNano, bonusNano, reversedNano }
      }
      await fc.assert(
        fc.asyncProperty(orders, async ([news, shuffled]) => {
          expect(await hear(shuffled)).toEqual(await hear(news))
        }),
        { numRuns: PROPERTY_RUN_COUNT },
      )
    },
    PROPERTY_TIMEOUT_MS,
  )

  test('the bonuses on partial payments add up to the bonus on the whole', async () => {
    const shop = await openShop({ bonus: '0.05' })
    const { gatewayInvoiceId, invoiceId } = await shop.createInvoice('1')
    for (const paidNano of [333_333_333n, 666_666_667n, DOLLAR]) {
      shop.gateway.tell(gatewayInvoiceId, { paidNano })
      await shop.deliver(gatewayInvoiceId)
    }
    expect(await shop.balanceNano()).toBe((DOLLAR * 105n) / 100n)
    expect(await shop.payments.recheckInvoice({ invoiceId })).toMatchObject({ bonusNano: DOLLAR / 20n })
  })

  test('there is a bonus up to the method’s maximum, whatever the operator approves beyond it', async () => {
    const shop = await openShop({ bonus: '0.05' })
    const { gatewayInvoiceId, invoiceId } = await shop.createInvoice('1000')
    shop.gateway.tell(gatewayInvoiceId, { paidNano: 1_500n * DOLLAR })
    await shop.deliver(gatewayInvoiceId)
    await shop.payments.creditRest({ invoiceId, amountNano: null, operator: 'ada', reason: 'known' })
    expect(await shop.balanceNano()).toBe(1_550n * DOLLAR)
  })

  test('full payment settles an invoice that its gateway reports as expired', async () => {
    const shop = await openShop()
    const { gatewayInvoiceId, invoiceId } = await shop.createInvoice('1')
    shop.gateway.tell(gatewayInvoiceId, { state: 'Expired' })
    await shop.deliver(gatewayInvoiceId)
    shop.gateway.tell(gatewayInvoiceId, { paidNano: DOLLAR, paidLate: true })
    await shop.deliver(gatewayInvoiceId)
    const invoice = await shop.payments.recheckInvoice({ invoiceId })
    expect(invoice).toMatchObject({ state: 'Settled', paidLate: true, creditedNano: DOLLAR })
  })

  test('a payment is credited when its gateway announces it; a failure of that is told the operator alone', async () => {
    const gateway = scriptedGateway()
    let announce: (gatewayInvoiceId: string) => void = () => {}
    const stopWatching = jest.fn()
    const watch: Gateway['watch'] = async onPaid => {
      announce = onPaid
      return stopWatching
    }
    const fetchInvoice = jest.fn(gateway.fetchInvoice)
    const gateways = [{ ...gateway, fetchInvoice, watch }]
    const shop = await createPaymentsForTest({ database: getDatabase(), gateways })
    const { gatewayInvoiceId } = await shop.createInvoice('1')
    const { stop } = await shop.payments.watch()
    const log = listenToLog()
    fetchInvoice.mockRejectedValueOnce(new GatewayError('down'))
    announce(gatewayInvoiceId)
    while (log.messages().length === 0) await nextTurn()
    expect(log.messages()).toEqual(['watching for payments failed'])
    log.stop()
    gateway.tell(gatewayInvoiceId, { paidNano: DOLLAR })
    announce(gatewayInvoiceId)
    while ((await shop.balanceNano()) === 0n) await nextTurn()
    expect(await shop.balanceNano()).toBe(DOLLAR)
    stop()
    expect(stopWatching).toHaveBeenCalledTimes(1)
  })

  test('another gateway cannot report payments of an invoice', async () => {
    const [first, second] = [scriptedGateway('btcpay'), scriptedGateway('stripe')]
    const shop = await createPaymentsForTest({ database: getDatabase(), gateways: [first, second] })
    const { gatewayInvoiceId } = await shop.createInvoice('1')
    first.tell(gatewayInvoiceId, { paidNano: DOLLAR })
    second.tell(gatewayInvoiceId, { paidNano: DOLLAR })
    const rawBody = new TextEncoder().encode(gatewayInvoiceId)
    const deliver = (gatewayId: 'btcpay' | 'stripe' | 'nwc') =>
      shop.payments.handleWebhook({ gatewayId, rawBody, headers: new Headers() })
    expect(await deliver('stripe')).toEqual({ outcome: 'ignored' })
    expect(await deliver('nwc')).toEqual({ outcome: 'absent' })
    expect(await shop.balanceNano()).toBe(0n)
    expect(await deliver('btcpay')).toEqual({ outcome: 'handled' })
    expect(await shop.balanceNano()).toBe(DOLLAR)
  })
})
