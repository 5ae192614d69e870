import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type InvoiceState, isInvoiceState, nextState, statesBefore, TRANSITIONS } from './invoice-states'

const states = Object.keys(TRANSITIONS).filter(isInvoiceState)
const state = fc.constantFrom(...states)

function stateAfter(news: InvoiceState[]): InvoiceState {
  return news.reduce(nextState, 'New')
}

describe('invoice states', () => {
  test('nothing leaves Settled', () => {
    for (const observed of states) expect(nextState('Settled', observed)).toBe('Settled')
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

  test('the states before one are exactly those from which the table allows it', () => {
    fc.assert(
      fc.property(state, state, (current, observed) => {
        const allowed = statesBefore(observed).includes(current)
        expect(nextState(current, observed)).toBe(allowed ? observed : current)
      }),
    )
  })
})
