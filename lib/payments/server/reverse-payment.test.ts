import { describe, expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import { describeOnPostgres } from '@/lib/db/testing'
import type { Ledger } from '@/lib/ledger/domain/ledger'
import { checkLedger } from '@/lib/ledger/server/check-ledger'
import { createEmbeddedLedger } from '@/lib/ledger/server/embedded-ledger'
import { openHold, USAGE } from '@/lib/ledger/testing'
import { minNano, NANO_PER_USD } from '@/lib/money/nano'
import { GatewayError, type Observation, TOLD_NANO_MAX } from '../domain/gateway'
import { openScriptedShop } from './testing'

const DOLLAR = NANO_PER_USD
const PARALLEL_DELIVERIES = 20
const PROPERTY_RUN_COUNT = 8

describeOnPostgres('taking back a payment', getDatabase => {
  async function paidShop(input: { ledger?: Ledger; bonus?: string } = {}) {
    const shop = await openScriptedShop({ database: getDatabase(), ...input })
    const invoice = await shop.createInvoice('10')
    const { gatewayInvoiceId } = invoice
    const deliver = () => shop.deliver(gatewayInvoiceId)
    shop.gateway.tell(gatewayInvoiceId, { state: 'Settled', paidNano: 10n * DOLLAR })
    await deliver()
    const spend = async (costNano: bigint) => {
      const holdId = await openHold(shop.ledger, shop.credential, costNano)
      await shop.ledger.settle({ holdId, costNano, usage: USAGE })
    }
    const seen = async () => (await shop.payments.recheckInvoice(invoice)) ?? invoice
    return {
      ...shop,
      invoice,
      deliver,
      spend,
      seen,
      tell: shop.gateway.tell.bind(null, gatewayInvoiceId),
    }
  }

  test('a refund after the credit was spent takes what is left, and the rest becomes debt', async () => {
    const shop = await paidShop()
    await shop.spend(7n * DOLLAR)
    shop.tell({ refundedNano: 10n * DOLLAR })
    await shop.deliver()
    expect(await shop.ledger.getBalance(shop)).toMatchObject({ balanceNano: 0n, debtNano: 7n * DOLLAR })
    expect(await shop.payments.recheckInvoice(shop.invoice)).toMatchObject({ reversedNano: 10n * DOLLAR })
  })

  test('partial refunds delivered many times in parallel take back their sum', async () => {
    const shop = await paidShop()
    shop.tell({ refundedNano: 3n * DOLLAR })
    await Promise.all(Array.from({ length: PARALLEL_DELIVERIES }, shop.deliver))
    expect(await shop.balanceNano()).toBe(7n * DOLLAR)
    shop.tell({ refundedNano: 5n * DOLLAR })
    await Promise.all(Array.from({ length: PARALLEL_DELIVERIES }, shop.deliver))
    expect(await shop.balanceNano()).toBe(5n * DOLLAR)
  })

  test('a refund never takes back more than was credited', async () => {
    const shop = await paidShop()
    const other = await shop.createInvoice('1')
    shop.gateway.tell(other.gatewayInvoiceId, { state: 'Settled', paidNano: DOLLAR })
    await shop.payments.recheckInvoice(other)
    shop.tell({ refundedNano: 50n * DOLLAR })
    await shop.deliver()
    expect(await shop.balanceNano()).toBe(DOLLAR)
  })

  test('a refund takes the bonus back with the payment', async () => {
    const readSources = async () => (await checkLedger({ database: getDatabase() })).systemBalancesNano
    const before = await readSources()
    const shop = await paidShop({ bonus: '0.1' })
    expect(await shop.balanceNano()).toBe(11n * DOLLAR)
    shop.tell({ refundedNano: 5n * DOLLAR })
    await shop.deliver()
    expect(await shop.balanceNano()).toBe((55n * DOLLAR) / 10n)
    shop.tell({ refundedNano: 10n * DOLLAR })
    await shop.deliver()
    expect(await shop.balanceNano()).toBe(0n)
    expect(await readSources()).toEqual(before)
  })

  test('partial refunds in any number take the bonus back in proportion, to the last nano-dollar', async () => {
    const parts = fc.array(fc.bigInt({ min: 1n, max: 4n * DOLLAR }), { minLength: 1, maxLength: 6 })
    const bonus = fc
      .integer({ min: 1, max: 999 })
      .map(thousandths => `0.${String(thousandths).padStart(3, '0')}`)
    await fc.assert(
      fc.asyncProperty(parts, bonus, async (refunds, fraction) => {
        const shop = await paidShop({ bonus: fraction })
        let refundedNano = 0n
        for (const part of refunds) {
          refundedNano = minNano(10n * DOLLAR, refundedNano + part)
          shop.tell({ refundedNano })
          await Promise.all([shop.deliver(), shop.deliver()])
          const { creditedNano, reversedNano, bonusNano, reversedBonusNano } = await shop.seen()
          expect(reversedNano).toBe(refundedNano)
          // The remaining share of the bonus is at most that of the payment.
          expect((bonusNano - reversedBonusNano) * creditedNano).toBeLessThanOrEqual(
            bonusNano * (creditedNano - reversedNano),
          )
          expect(await shop.balanceNano()).toBe(creditedNano - reversedNano + bonusNano - reversedBonusNano)
        }
        shop.tell({ refundedNano: 10n * DOLLAR })
        await shop.deliver()
        expect(await shop.balanceNano()).toBe(0n)
      }),
      { numRuns: PROPERTY_RUN_COUNT },
    )
  })

  test('any number of chargebacks of any amount takes back what was credited', async () => {
    const shop = await paidShop()
    const disputes = Array.from({ length: 10 }, (_, index) => ({
      disputeId: `du_${shop.invoice.invoiceId}_${index}`,
      amountNano: TOLD_NANO_MAX,
      state: 'withdrawn' as const,
    }))
    shop.tell({ disputes })
    await shop.deliver()
    expect(await shop.balanceNano()).toBe(0n)
  })

  test('a chargeback of one payment is not won by what is told of another', async () => {
    const [charged, other] = [await paidShop(), await paidShop()]
    const dispute = { disputeId: `du_${charged.invoice.invoiceId}`, amountNano: 10n * DOLLAR }
    charged.tell({ disputes: [{ ...dispute, state: 'withdrawn' }] })
    await charged.deliver()
    other.tell({ disputes: [{ ...dispute, state: 'returned' }] })
    await other.deliver()
    await charged.deliver()
    expect(await charged.balanceNano()).toBe(0n)
    expect(await other.balanceNano()).toBe(10n * DOLLAR)
  })

  test('a chargeback takes back payment and bonus, and winning the dispute returns both', async () => {
    const shop = await paidShop({ bonus: '0.1' })
    const dispute = { disputeId: `du_${shop.invoice.invoiceId}`, amountNano: 10n * DOLLAR }
    shop.tell({ disputes: [{ ...dispute, state: 'withdrawn' }] })
    await Promise.all(Array.from({ length: PARALLEL_DELIVERIES }, shop.deliver))
    expect(await shop.balanceNano()).toBe(0n)
    shop.tell({ disputes: [{ ...dispute, state: 'returned' }] })
    await Promise.all(Array.from({ length: PARALLEL_DELIVERIES }, shop.deliver))
    expect(await shop.balanceNano()).toBe(11n * DOLLAR)
    shop.tell({ disputes: [{ ...dispute, state: 'withdrawn' }] })
    await shop.deliver()
    expect(await shop.balanceNano()).toBe(11n * DOLLAR)
  })

  test('a refund takes its part of the bonus, of which a later payment without one returns nothing', async () => {
    const shop = await paidShop({ bonus: '0.1' })
    shop.tell({ refundedNano: 5n * DOLLAR })
    await shop.deliver()
    shop.tell({ paidNano: 20n * DOLLAR, paidLate: true })
    expect(await shop.seen()).toMatchObject({
      creditedNano: 20n * DOLLAR,
      reversedNano: 5n * DOLLAR,
      bonusNano: DOLLAR,
      reversedBonusNano: DOLLAR / 2n,
    })
    expect(await shop.balanceNano()).toBe((155n * DOLLAR) / 10n)
  })

  test('a refund that is known is taken back even if the gateway cannot list others', async () => {
    const shop = await paidShop()
    shop.gateway.fetchRefunds = async () => {
      throw new GatewayError('down')
    }
    shop.tell({ refundedNano: 4n * DOLLAR })
    await expect(shop.deliver()).rejects.toThrow('down')
    expect(await shop.balanceNano()).toBe(6n * DOLLAR)
  })

  test('a slow process does not record a later claim as taken back before its transfer', async () => {
    const real = createEmbeddedLedger({ database: getDatabase() })
    let overtake: (() => Promise<unknown>) | null = null
    let isDying = false
    const reverse: Ledger['reverse'] = async input => {
      if (isDying && input.reference.endsWith(':reversal:2')) throw new Error('the process died')
      const result = await real.reverse(input)
      const overtaking = overtake
      overtake = null
      await overtaking?.()
      return result
    }
    const shop = await paidShop({ ledger: { ...real, reverse } })
    // Between transfer and record, another process finishes the claim, opens the next one, and dies.
    overtake = async () => {
      isDying = true
      shop.tell({ refundedNano: 5n * DOLLAR })
      await expect(shop.deliver()).rejects.toThrow('the process died')
      isDying = false
    }
    shop.tell({ refundedNano: 3n * DOLLAR })
    await shop.deliver()
    expect(await shop.seen()).toMatchObject({ reversedNano: 5n * DOLLAR })
    expect(await shop.balanceNano()).toBe(5n * DOLLAR)
  })

  test('what is moved for one invoice is not recorded for another whose process died as well', async () => {
    const real = createEmbeddedLedger({ database: getDatabase() })
    let isDying = false
    const live = () => {
      if (isDying) throw new Error('the process died')
      return real
    }
    const ledger: Ledger = {
      ...real,
      credit: async input => live().credit(input),
      reverse: async input => live().reverse(input),
    }
    const shop = await openScriptedShop({ database: getDatabase(), ledger })
    const ids = [await shop.createInvoice('1'), await shop.createInvoice('1')].map(
      one => one.gatewayInvoiceId,
    )
    const deliverAfter = async (told: Partial<Observation>) => {
      isDying = true
      for (const id of ids) {
        shop.gateway.tell(id, told)
        await expect(shop.deliver(id)).rejects.toThrow('the process died')
      }
      isDying = false
      const balances: (bigint | undefined)[] = []
      for (const id of ids) {
        await shop.deliver(id)
        balances.push(await shop.balanceNano())
      }
      return balances
    }
    expect(await deliverAfter({ state: 'Settled', paidNano: DOLLAR })).toEqual([DOLLAR, 2n * DOLLAR])
    expect(await deliverAfter({ refundedNano: DOLLAR })).toEqual([DOLLAR, 0n])
  })

  test('a refund and a chargeback of the same payment take it back once', async () => {
    const shop = await paidShop({ bonus: '0.1' })
    const other = await shop.createInvoice('1')
    shop.gateway.tell(other.gatewayInvoiceId, { state: 'Settled', paidNano: DOLLAR })
    await shop.payments.recheckInvoice(other)
    const dispute = { disputeId: `du_${shop.invoice.invoiceId}`, amountNano: 10n * DOLLAR }
    shop.tell({ refundedNano: 6n * DOLLAR, disputes: [{ ...dispute, state: 'withdrawn' }] })
    await shop.deliver()
    expect(await shop.seen()).toMatchObject({ reversedNano: 10n * DOLLAR, reversedBonusNano: DOLLAR })
    expect(await shop.balanceNano()).toBe((11n * DOLLAR) / 10n)
    shop.tell({ disputes: [{ ...dispute, state: 'returned' }] })
    await shop.deliver()
    // The part taken by the refund is not returned.
    expect(await shop.seen()).toMatchObject({
      reversedNano: 6n * DOLLAR,
      reversedBonusNano: (6n * DOLLAR) / 10n,
    })
  })

  test('a chargeback of spent credit becomes debt including the bonus, which winning the dispute clears', async () => {
    const shop = await paidShop({ bonus: '0.1' })
    await shop.spend(7n * DOLLAR)
    const account = () => shop.ledger.getBalance(shop)
    const dispute = { disputeId: `du_${shop.invoice.invoiceId}`, amountNano: 10n * DOLLAR }
    shop.tell({ disputes: [{ ...dispute, state: 'withdrawn' }] })
    await Promise.all(Array.from({ length: PARALLEL_DELIVERIES }, shop.deliver))
    expect(await account()).toMatchObject({ balanceNano: 0n, debtNano: 7n * DOLLAR })
    shop.tell({ disputes: [{ ...dispute, state: 'returned' }] })
    await Promise.all(Array.from({ length: PARALLEL_DELIVERIES }, shop.deliver))
    expect(await account()).toMatchObject({ balanceNano: 4n * DOLLAR, debtNano: 0n })
  })

  test('the debt from refunded, spent credit is repaid by the next top-up', async () => {
    const shop = await paidShop({ bonus: '0.1' })
    await shop.spend(11n * DOLLAR)
    shop.tell({ refundedNano: 10n * DOLLAR })
    await shop.deliver()
    const next = await shop.createInvoice('20')
    shop.gateway.tell(next.gatewayInvoiceId, { state: 'Settled', paidNano: 20n * DOLLAR })
    await shop.payments.recheckInvoice(next)
    expect(await shop.balanceNano()).toBe(11n * DOLLAR)
  })

  test('a chargeback reported before any credit is taken from the later credit', async () => {
    const shop = await paidShop({ bonus: '0.1' })
    const invoice = await shop.createInvoice('2')
    const dispute = {
      disputeId: `du_${invoice.invoiceId}`,
      amountNano: 2n * DOLLAR,
      state: 'withdrawn',
    } as const
    shop.gateway.tell(invoice.gatewayInvoiceId, { disputes: [dispute] })
    await shop.payments.recheckInvoice(invoice)
    shop.gateway.tell(invoice.gatewayInvoiceId, { state: 'Settled', paidNano: 2n * DOLLAR })
    expect(await shop.payments.recheckInvoice(invoice)).toMatchObject({
      creditedNano: 2n * DOLLAR,
      reversedNano: 2n * DOLLAR,
      reversedBonusNano: (2n * DOLLAR) / 10n,
    })
  })

  test('a refund during an unfinished credit is taken back completely once the credit is finished', async () => {
    const real = createEmbeddedLedger({ database: getDatabase() })
    let isDown = false
    const credit: Ledger['credit'] = input =>
      isDown ? Promise.reject(new Error('the process died')) : real.credit(input)
    const shop = await paidShop({ ledger: { ...real, credit }, bonus: '0.1' })
    isDown = true
    // Two more payments and a refund, while the claim of the first of them stays open.
    shop.tell({ paidNano: 15n * DOLLAR })
    await expect(shop.deliver()).rejects.toThrow('the process died')
    shop.tell({ paidNano: 20n * DOLLAR, refundedNano: 18n * DOLLAR })
    await expect(shop.deliver()).rejects.toThrow('the process died')
    expect(await shop.payments.findInvoice(shop.invoice)).toMatchObject({
      claimedNano: 15n * DOLLAR,
      creditedNano: 10n * DOLLAR,
      refundSeenNano: 18n * DOLLAR,
    })
    isDown = false
    await Promise.all([shop.deliver(), shop.deliver()])
    expect(await shop.seen()).toMatchObject({ creditedNano: 20n * DOLLAR, reversedNano: 18n * DOLLAR })
    expect(await shop.balanceNano()).toBe((22n * DOLLAR) / 10n)
  })

  test('a refund takes back only what exceeds the uncredited part', async () => {
    const shop = await paidShop()
    const invoice = await shop.createInvoice('1000')
    const hear = async (seen: Partial<Observation>) => {
      shop.gateway.tell(invoice.gatewayInvoiceId, seen)
      return shop.payments.recheckInvoice(invoice)
    }
    const stderr = jest.spyOn(process.stderr, 'write').mockReturnValue(true)
    await hear({ state: 'Settled', paidNano: 3000n * DOLLAR })
    stderr.mockRestore()
    expect(await hear({ refundedNano: 2000n * DOLLAR })).toMatchObject({
      creditedNano: 1000n * DOLLAR,
      reversedNano: 0n,
    })
    expect(await hear({ refundedNano: 2400n * DOLLAR })).toMatchObject({ reversedNano: 400n * DOLLAR })
    expect(await shop.balanceNano()).toBe(610n * DOLLAR)
  })

  test('a chargeback reported many times in parallel is taken back once, up to the most that was reported', async () => {
    const shop = await paidShop()
    const disputeId = `du_${shop.invoice.invoiceId}`
    for (const dollars of [3n, 4n, 2n]) {
      shop.tell({ disputes: [{ disputeId, amountNano: dollars * DOLLAR, state: 'withdrawn' }] })
      await Promise.all(Array.from({ length: PARALLEL_DELIVERIES }, shop.deliver))
    }
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
      // Another refund arrives before the open claim is finished.
      shop.tell({ refundedNano: 3n * DOLLAR })
      await Promise.all([shop.deliver(), shop.deliver()])
      expect(await shop.balanceNano()).toBe(verb === 'credit' ? 7n * DOLLAR : 3n * DOLLAR)
    })
  })
})
