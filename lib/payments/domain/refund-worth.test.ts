import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { add } from '@/lib/money/decimal'
import { NANO_PER_USD } from '@/lib/money/nano'
import type { Refund } from './gateway'
import { type RefundedSoFar, refundWorth } from './refund-worth'

const satoshis = (count: bigint) => ({ coefficient: count, scale: 8 })
const NOTHING = { refundedNano: 0n, bitcoinRefundedNano: 0n, refundedBitcoin: satoshis(0n) }
const refundOf = (count: bigint) => ({ refundId: 'one', usd: null, bitcoin: satoshis(count) })

describe('what a refund is worth', () => {
  test('in any number of parts is all of the payment, once all of the bitcoin went back', () => {
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
    ['more bitcoin than came', refundOf(200n), 10n],
    ['dollars, as they are', { refundId: 'one', usd: { coefficient: 3n, scale: 0 }, bitcoin: null }, 3n],
    ['more dollars than came', { refundId: 'one', usd: { coefficient: 30n, scale: 0 }, bitcoin: null }, 10n],
  ] as const)('%s', (_what, refund, dollars) => {
    const so = { paidNano: 10n * NANO_PER_USD, arrivedBitcoin: satoshis(100n) }
    expect(refundWorth(refund, { ...so, ...NOTHING })).toBe(dollars * NANO_PER_USD)
  })

  test('bitcoin of a payment that nobody listed is all of it', () => {
    const so = { paidNano: 10n, arrivedBitcoin: satoshis(0n), ...NOTHING }
    expect(refundWorth(refundOf(1n), so)).toBe(10n)
  })

  test('is the same in all, in whatever order dollars and bitcoin went back', () => {
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
        // Each part is rounded up to a nano-dollar.
        expect(difference * difference).toBeLessThanOrEqual(BigInt(all.length ** 2))
      }),
    )
  })
})
