import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { INVOICE_STATES, type InvoiceState, statesBefore } from './invoice-states'

const state = fc.constantFrom(...INVOICE_STATES)

/** As the conditional update decides. */
function nextState(current: InvoiceState, observed: InvoiceState): InvoiceState {
  return statesBefore(observed).includes(current) ? observed : current
}

function stateAfter(news: InvoiceState[]): InvoiceState {
  return news.reduce(nextState, 'New')
}

describe('invoice states', () => {
  test('nothing leaves Settled', () => {
    for (const observed of INVOICE_STATES) expect(nextState('Settled', observed)).toBe('Settled')
  })

  test('nothing returns to New', () => {
    expect(statesBefore('New')).toEqual([])
  })

  test('a payment after expiry still settles', () => {
    expect(stateAfter(['Expired', 'Settled'])).toBe('Settled')
    expect(stateAfter(['Invalid', 'Settled'])).toBe('Settled')
  })

  test('an expiry reported after the payment does not take it back', () => {
    expect(stateAfter(['Settled', 'Expired', 'Invalid', 'New'])).toBe('Settled')
  })

  test('every order and repetition of the same news has one end', () => {
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
