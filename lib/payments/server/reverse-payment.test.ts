import { describe, expect, test } from '@jest/globals'
import { describeOnBothDatabases } from '@/lib/db/testing'
import type { Ledger, UsageDetail } from '@/lib/ledger/domain/ledger'
import { createEmbeddedLedger } from '@/lib/ledger/server/embedded-ledger'
import { NANO_PER_USD } from '@/lib/money/nano'
import { createPaymentsForTest, decimal, randomHash, scriptedGateway } from './testing'

const DOLLAR = NANO_PER_USD
const PARALLEL_DELIVERIES = 20

const USAGE: UsageDetail = {
  status: 'completed',
  errorCode: null,
  inputTokenCount: 1,
  cachedInputTokenCount: 0,
  outputTokenCount: 1,
  reasoningTokenCount: 0,
  estimated: false,
  costBasis: 'upstream_cost',
  upstreamId: null,
  durationMs: 1,
  timeToFirstTokenMs: 1,
}

describeOnBothDatabases('taking back a payment', getDatabase => {
  async function paidShop(input: { ledger?: Ledger; bonus?: string } = {}) {
    const gateway = scriptedGateway()
    const shop = await createPaymentsForTest({
      database: getDatabase(),
      gateways: [gateway],
      ledger: input.ledger,
      bonuses: input.bonus ? { 'btc-lightning': decimal(input.bonus) } : {},
    })
    const invoice = await shop.createInvoice('10')
    const { gatewayInvoiceId } = invoice
    const deliver = () =>
      shop.payments.handleWebhook({
        gatewayId: 'btcpay',
        rawBody: new TextEncoder().encode(gatewayInvoiceId),
        headers: new Headers(),
      })
    gateway.tell(gatewayInvoiceId, { state: 'Settled', paidNano: 10n * DOLLAR })
    await deliver()
    const spend = async (costNano: bigint) => {
      const held = await shop.ledger.hold({
        credential: shop.credential,
        amountNano: costNano,
        minimumNano: costNano,
        leastNano: costNano,
        ttlSeconds: 60,
        idempotencyKeyHash: null,
        requestHash: randomHash(),
        exchange: { queryType: 'chat', querySource: 'web', modelId: 'model', priceSnapshot: {} },
      })
      if (held.outcome !== 'held') throw new Error(held.outcome)
      await shop.ledger.settle({ holdId: held.holdId, costNano, usage: USAGE })
    }
    return { ...shop, gateway, invoice, deliver, spend, tell: gateway.tell.bind(null, gatewayInvoiceId) }
  }

  test('a refund after the money was spent takes what is there and no more', async () => {
    const shop = await paidShop()
    await shop.spend(7n * DOLLAR)
    shop.tell({ refundedNano: 10n * DOLLAR })
    await shop.deliver()
    expect(await shop.balanceNano()).toBe(0n)
    expect(await shop.payments.recheckInvoice(shop.invoice)).toMatchObject({ refundedNano: 10n * DOLLAR })
  })

  test('partial refunds delivered many times at once take back their sum', async () => {
    const shop = await paidShop()
    shop.tell({ refundedNano: 3n * DOLLAR })
    await Promise.all(Array.from({ length: PARALLEL_DELIVERIES }, shop.deliver))
    expect(await shop.balanceNano()).toBe(7n * DOLLAR)
    shop.tell({ refundedNano: 5n * DOLLAR })
    await Promise.all(Array.from({ length: PARALLEL_DELIVERIES }, shop.deliver))
    expect(await shop.balanceNano()).toBe(5n * DOLLAR)
  })

  test('never takes back more than was credited', async () => {
    const shop = await paidShop()
    const other = await shop.createInvoice('1')
    shop.gateway.tell(other.gatewayInvoiceId, { state: 'Settled', paidNano: DOLLAR })
    await shop.payments.recheckInvoice(other)
    shop.tell({ refundedNano: 50n * DOLLAR })
    await shop.deliver()
    expect(await shop.balanceNano()).toBe(DOLLAR)
  })

  test('takes the bonus back with the payment', async () => {
    const shop = await paidShop({ bonus: '0.1' })
    expect(await shop.balanceNano()).toBe(11n * DOLLAR)
    shop.tell({ refundedNano: 5n * DOLLAR })
    await shop.deliver()
    expect(await shop.balanceNano()).toBe((55n * DOLLAR) / 10n)
    shop.tell({ refundedNano: 10n * DOLLAR })
    await shop.deliver()
    expect(await shop.balanceNano()).toBe(0n)
  })

  test('a dispute that is won returns what could be taken, not what had been spent', async () => {
    const shop = await paidShop()
    await shop.spend(7n * DOLLAR)
    const dispute = { disputeId: `du_${shop.invoice.invoiceId}`, amountNano: 10n * DOLLAR }
    shop.tell({ disputes: [{ ...dispute, state: 'withdrawn' }] })
    await Promise.all(Array.from({ length: PARALLEL_DELIVERIES }, shop.deliver))
    expect(await shop.balanceNano()).toBe(0n)
    shop.tell({ disputes: [{ ...dispute, state: 'returned' }] })
    await Promise.all(Array.from({ length: PARALLEL_DELIVERIES }, shop.deliver))
    expect(await shop.balanceNano()).toBe(3n * DOLLAR)
  })

  test('a chargeback told of many times at once takes its amount once', async () => {
    const shop = await paidShop()
    const disputeId = `du_${shop.invoice.invoiceId}`
    shop.tell({ disputes: [{ disputeId, amountNano: 4n * DOLLAR, state: 'withdrawn' }] })
    await Promise.all(Array.from({ length: PARALLEL_DELIVERIES }, shop.deliver))
    expect(await shop.balanceNano()).toBe(6n * DOLLAR)
  })

  describe.each(['credit', 'reverse'] as const)('a crash after the transfer of a %s', verb => {
    test('is repaired by the next delivery', async () => {
      const real = createEmbeddedLedger({ database: getDatabase() })
      let isCrashing = false
      const crashAfter = async <Result>(work: Promise<Result>): Promise<Result> => {
        const result = await work
        if (!isCrashing) return result
        isCrashing = false
        throw new Error('the process died')
      }
      const shop = await paidShop({
        ledger: {
          ...real,
          [verb]: (input: Parameters<Ledger['reverse']>[0]) => crashAfter<unknown>(real[verb](input)),
        },
      })
      const dispute = { disputeId: `du_${shop.invoice.invoiceId}`, amountNano: 4n * DOLLAR }
      if (verb === 'credit') {
        shop.tell({ disputes: [{ ...dispute, state: 'withdrawn' }] })
        await shop.deliver()
      }
      isCrashing = true
      shop.tell({
        refundedNano: 2n * DOLLAR,
        disputes: [{ ...dispute, state: verb === 'credit' ? 'returned' : 'withdrawn' }],
      })
      await expect(shop.deliver()).rejects.toThrow('the process died')
      // More is refunded before anybody finishes what was begun.
      shop.tell({ refundedNano: 3n * DOLLAR })
      await Promise.all([shop.deliver(), shop.deliver()])
      expect(await shop.balanceNano()).toBe(verb === 'credit' ? 7n * DOLLAR : 3n * DOLLAR)
    })
  })
})
