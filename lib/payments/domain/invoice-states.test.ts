import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { INVOICE_STATES, type InvoiceState, statesBefore } from './invoice-states'

const state = fc.constantFrom(...INVOICE_STATES)

/** Decides like the conditional update in the database. */
function nextState(current: InvoiceState, observed: InvoiceState): InvoiceState {
  return statesBefore(observed).includes(current) ? observed : current
}

function stateAfter(news: InvoiceState[]): InvoiceState {
  return news.reduce(nextState, 'New')
}

describe('invoice states', () => {
  test('Settled is final', () => {
    for (const observed of INVOICE_STATES) expect(nextState('Settled', observed)).toBe('Settled')
  })

  test('no state returns to New', () => {
    expect(statesBefore('New')).toEqual([])
  })

  test('a payment after expiry still settles the invoice', () => {
    expect(stateAfter(['Expired', 'Settled'])).toBe('Settled')
    expect(stateAfter(['Invalid', 'Settled'])).toBe('Settled')
  })

  test('an expiry reported after the payment leaves the invoice settled', () => {
    expect(stateAfter(['Settled', 'Expired', 'Invalid', 'New'])).toBe('Settled')
  })

  test('the same reports in any order and number lead to the same state', () => {
    const permuted = fc
      .array(state, { minLength: 1, maxLength: 8 })
      .chain(news =>
        fc.tuple(fc.constant(news), fc.shuffledSubarray([...news, ...news], { minLength: news.length * 2 })),
      )
    fc.assert(
      fc.property(permuted, ([news, shuffled]) => {
        expect(stateAfter(shuffled)).toBe(stateAfter(news))
      }),
    )
  })
})
