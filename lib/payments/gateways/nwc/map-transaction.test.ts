import { describe, expect, test } from '@jest/globals'
import { NANO_PER_USD } from '@/lib/money/nano'
import { GatewayError } from '../../domain/gateway'
import { countObservation, decimal } from '../../server/testing'
import { findPayment, isPaymentUntold, mapTransaction, parseTransaction } from './map-transaction'

/** The answer of a 2026 wallet to `lookup_invoice`. */
const PENDING = {
  type: 'incoming',
  state: 'pending',
  invoice: 'lnbc10u1p…',
  description: 'Tuppence credit',
  description_hash: '',
  preimage: '',
  payment_hash: 'a'.repeat(64),
  amount: 1_000_000,
  fees_paid: 0,
  settled_at: null,
  created_at: 1_763_600_000,
  expires_at: 1_763_600_900,
}

function observe(change: object) {
  const asked = { amountNano: NANO_PER_USD, bitcoinDue: decimal('0.00001') }
  const observation = mapTransaction(parseTransaction({ ...PENDING, ...change }), asked)
  return countObservation(observation, { ...asked, usdPerBitcoin: decimal('70000') })
}

describe('a wallet’s answer about an invoice', () => {
  test.each([
    [{ state: 'pending' }, 'New', 0n],
    [{ state: 'accepted' }, 'Processing', 0n],
    [{ state: 'failed' }, 'Expired', 0n],
    [{ state: 'expired' }, 'Expired', 0n],
    [{ state: 'settled', settled_at: 1_763_600_500 }, 'Settled', NANO_PER_USD],
    [{ state: null, settled_at: 1_763_600_500 }, 'Settled', NANO_PER_USD],
    [{ state: undefined, settled_at: 0 }, 'New', 0n],
    [{ state: 'settled', type: 'outgoing', settled_at: 1_763_600_500 }, 'New', 0n],
    [{ state: 'a state of the future' }, 'New', 0n],
  ])('is read into state and amount: %j', (change, state, paidNano) => {
    expect(observe(change)).toMatchObject({ state, paidNano, paidLate: false })
  })

  test.each([
    ['half more than the invoice, at its rate', 1_500_000, (NANO_PER_USD * 3n) / 2n],
    ['a thousandth of a satoshi more', 1_000_001, NANO_PER_USD],
    ['three times the invoice, a third of it at the latest rate', 3_000_000, (NANO_PER_USD * 27n) / 10n],
    ['less than the invoice, although no wallet should accept it', 400_000, (NANO_PER_USD * 4n) / 10n],
    ['a payment without an amount as the invoice’s amount', null, NANO_PER_USD],
  ])('counts %s', (_what, amount, paidNano) => {
    expect(observe({ state: 'settled', settled_at: 1_763_600_500, amount }).paidNano).toBe(paidNano)
  })

  test('with a payment after the invoice’s expiry is late, as far as both times are known', () => {
    const late = { state: 'settled', settled_at: 1_763_600_901 }
    expect(observe(late).paidLate).toBe(true)
    for (const unknown of [{ settled_at: null }, { expires_at: null }])
      expect(observe({ ...late, ...unknown }).paidLate).toBe(false)
  })

  test.each([
    [{ state: null, created_at: 5, settled_at: 5 }, true],
    [{ state: null, created_at: 5, settled_at: 4 }, true],
    [{ state: null, created_at: 5, settled_at: 6 }, false],
    [{ state: null, created_at: 5, settled_at: null }, false],
    [{ state: null, created_at: null, settled_at: 5 }, false],
    [{ state: 'settled', created_at: 5, settled_at: 5 }, false],
    [{ type: 'outgoing', state: 'settled' }, true],
    [{ type: 'outgoing', state: null, settled_at: 6 }, true],
    [{ type: 'outgoing', state: null, settled_at: null }, false],
    [{ type: 'outgoing', state: 'pending', settled_at: 6 }, false],
  ])('that is %j leaves it untold whether it was paid: %s', (change, isUntold) => {
    expect(isPaymentUntold(parseTransaction({ ...PENDING, ...change }))).toBe(isUntold)
  })

  test.each([null, 1_000])('is of no use if the bitcoin due is not known, with the amount %s', amount => {
    const paid = parseTransaction({ ...PENDING, state: 'settled', settled_at: 1_763_600_500, amount })
    const map = () => mapTransaction(paid, { amountNano: NANO_PER_USD, bitcoinDue: null })
    expect(map).toThrow(GatewayError)
  })

  test('is completed by what came in for the same invoice, of all that it lists as paid', () => {
    const paid = { ...PENDING, state: 'settled', settled_at: 1_763_600_500 }
    const others = [{ ...paid, payment_hash: 'b'.repeat(64) }, { ...paid, type: 'outgoing' }, null]
    const find = (transactions: unknown[]) => findPayment(PENDING.payment_hash, { transactions })
    expect(find(others)).toBeNull()
    expect(find([...others, paid])).toMatchObject({ type: 'incoming', payment_hash: PENDING.payment_hash })
  })

  test.each([null, 'paid', {}, { ...PENDING, payment_hash: '../' }, { ...PENDING, amount: -1 }])(
    'is refused if it is %j',
    answer => {
      expect(() => parseTransaction(answer)).toThrow(GatewayError)
    },
  )
})
