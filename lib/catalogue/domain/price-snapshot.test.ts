import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { cost } from './cost'
import { parsePriceSnapshot, priceSnapshot } from './price-snapshot'
import { prices, somePrices, usage } from './testing'

test('a damaged snapshot is refused', () => {
  expect(parsePriceSnapshot({})).toBeNull()
  expect(parsePriceSnapshot({ prompt: '0', completion: 'x' })).toBeNull()
})

test('names what is known, in a fixed order, without exponents', () => {
  const snapshot = priceSnapshot(somePrices({ completion: '2e-7', internalReasoning: '3e-7' }))
  expect(JSON.stringify(snapshot)).toBe(
    '{"prompt":"0","completion":"0.0000002","request":"0","image":"0","internal_reasoning":"0.0000003"}',
  )
})

test('prices come back from their snapshot costing the same', () => {
  fc.assert(
    fc.property(prices, usage, (known, counts) => {
      const read = parsePriceSnapshot(priceSnapshot(known))
      return read !== null && cost({ prices: read, usage: counts }) === cost({ prices: known, usage: counts })
    }),
  )
})
