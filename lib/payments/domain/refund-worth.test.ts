import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { add } from '@/lib/money/decimal'
import { NANO_PER_USD } from '@/lib/money/nano'
import type { Refund } from './gateway'
import { type RefundedSoFar, refundWorth } from './refund-worth'

const satoshis = (count: bigint) => ({ coefficient: count, scale: 8 })
const NOTHING = { refundedNano: 0n, bitcoinRefundedNano: 0n, refundedBitcoin: satoshis(0n) }
const refundOf = (count: bigint) => ({ refundId: 'one', usd: null, bitcoin: satoshis(count) })

describe('the dollar value of a refund', () => {
  test('in any number of parts adds up to the whole payment when all bitcoin was refunded', () => {
    const amounts = fc.array(fc.bigInt({ min: 1n, max: 10n ** 9n }), { minLength: 1, maxLength: 8 })
    const paid = fc.bigInt({ min: 1n, max: 10_000n * NANO_PER_USD })
    fc.assert(
      fc.property(amounts, paid, (parts, paidNano) => {
        const arrived = parts.reduce((sum, part) => sum + part, 0n)
        let refundedNano = 0n
        let refunded = 0n
        for (const part of parts) {
          const so: RefundedSoFar = {
            paidNano,
            arrivedBitcoin: satoshis(arrived),
            refundedNano,
            bitcoinRefundedNano: refundedNano,
            refundedBitcoin: satoshis(refunded),
          }
          refundedNano += refundWorth(refundOf(part), so)
          refunded += part
          // At least the same share, and never more than there is.
          expect(refundedNano * arrived).toBeGreaterThanOrEqual(paidNano * refunded)
          expect(refundedNano).toBeLessThanOrEqual(paidNano)
        }
        expect(refundedNano).toBe(paidNano)
      }),
    )
  })

  test.each([
    ['half of the bitcoin', refundOf(50n), 5n],
    ['more bitcoin than was paid', refundOf(200n), 10n],
    ['three of ten dollars', { refundId: 'one', usd: { coefficient: 3n, scale: 0 }, bitcoin: null }, 3n],
    ['more dollars than paid', { refundId: 'one', usd: { coefficient: 30n, scale: 0 }, bitcoin: null }, 10n],
  ] as const)('of %s is its share of the payment, up to the whole', (_what, refund, dollars) => {
    const so = { paidNano: 10n * NANO_PER_USD, arrivedBitcoin: satoshis(100n) }
    expect(refundWorth(refund, { ...so, ...NOTHING })).toBe(dollars * NANO_PER_USD)
  })

  test('is the whole payment if its bitcoin amount is unknown', () => {
    const so = { paidNano: 10n, arrivedBitcoin: satoshis(0n), ...NOTHING }
    expect(refundWorth(refundOf(1n), so)).toBe(10n)
  })

  test('has the same total for any order of refunds in dollars and bitcoin', () => {
    const refund = fc.oneof(
      fc.bigInt({ min: 1n, max: 100n }).map(refundOf),
      fc
        .bigInt({ min: 1n, max: 10n })
        .map(usd => ({ refundId: 'one', usd: { coefficient: usd, scale: 0 }, bitcoin: null }) as const),
    )
    const orders = fc
      .array(refund, { minLength: 1, maxLength: 6 })
      .chain(all => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })))
    const total = (refunds: readonly Refund[]) => {
      const so: RefundedSoFar = { paidNano: 10n * NANO_PER_USD, arrivedBitcoin: satoshis(200n), ...NOTHING }
      for (const each of refunds) {
        const worthNano = refundWorth(each, so)
        so.refundedNano += worthNano
        if (!each.bitcoin) continue
        so.bitcoinRefundedNano += worthNano
        so.refundedBitcoin = add(so.refundedBitcoin, each.bitcoin)
      }
      return so.refundedNano
    }
    fc.assert(
      fc.property(orders, ([all, shuffled]) => {
        const difference = total(all) - total(shuffled)
        // Each part may be rounded up by a nano-dollar.
        expect(difference * difference).toBeLessThanOrEqual(BigInt(all.length ** 2))
      }),
    )
  })
})
