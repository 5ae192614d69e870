import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { ChatModel } from '../chat-model'
import { chatModel } from '../testing'
import { sharedTokenCount } from './share-balance'

const modelOf = (completion: string, draws = false) =>
  chatModel({ id: completion, draws, prices: { prompt: '0', completion } })

/** The price of an everyday answer, plus a hundredth of a cent for the input. */
const priceOf = ({ prices }: ChatModel) =>
  BigInt(Math.round(Number(prices.completion) * 400 * 1e9)) + 100_000n

const models = fc
  .array(fc.integer({ min: 0, max: 100 }), { minLength: 2, maxLength: 4 })
  .map(prices => prices.map(price => modelOf((price / 1_000_000).toFixed(6))))

test('the shared token counts cost no more than the balance, input included', () => {
  fc.assert(
    fc.property(models, fc.double({ min: 0, max: 10, noNaN: true }), (comparedModels, balanceUsd) => {
      const count = sharedTokenCount(comparedModels, priceOf, balanceUsd) ?? 16_384
      const held = comparedModels.reduce(
        (sum, { prices }) => sum + Number(prices.completion) * count + 0.0004,
        0,
      )
      if (count > 0) expect(held).toBeLessThanOrEqual(balanceUsd + 1e-9)
    }),
  )
})

test('no token limit is set if the balance is enough for all, or unknown', () => {
  const dear = [modelOf('0.00001'), modelOf('0.00002')]
  expect(sharedTokenCount(dear, priceOf, 1)).toBeNull()
  expect(sharedTokenCount(dear, priceOf, null)).toBeNull()
  expect(sharedTokenCount(dear, priceOf, 0.1)).toBe(3139)
  expect(sharedTokenCount(dear, priceOf, 0)).toBe(0)
  expect(sharedTokenCount([modelOf('0', true), modelOf('0', true)], priceOf, 0)).toBeNull()
})
