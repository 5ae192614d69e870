import { expect, jest, test } from '@jest/globals'
import type { HoldInput, HoldResult } from '@/lib/ledger/domain/holds'
import { holdFor } from './begin'
import type { Quote } from './kind'

const [certain, estimated] = ['certain', 'estimated'] as unknown as [Quote['callFor'], Quote['callFor']]
const INPUT = { credential: { kind: 'credit_id', secretHash: '' } } as unknown as HoldInput
const shortage = (availableNano: bigint): HoldResult => ({
  outcome: 'insufficient_credit',
  availableNano,
  requiredNano: 50n,
})
const held = (amountNano: bigint) => ({ outcome: 'held', amountNano }) as HoldResult

/** Holds for a call of 50 to 100, which is estimated to need 20, at a ledger that gives these answers in turn. */
async function holdAt(answers: HoldResult[], { isGuess = false, most = null as bigint | null } = {}) {
  const estimate = jest.fn(async () => ({ leastNano: 20n, isGuess, boundFor: () => 90n, callFor: estimated }))
  const quote = { boundNano: 100n, minimumNano: 50n, estimated: estimate, callFor: certain }
  const asked: HoldInput[] = []
  const hold = async (input: HoldInput) => {
    asked.push(input)
    return answers[asked.length - 1] ?? shortage(0n)
  }
  const outcome = await holdFor({ ledger: { hold } }, quote as unknown as Quote, most, INPUT).catch(
    error => error,
  )
  return { outcome, ways: asked.map(({ minimumNano, leastNano }) => [minimumNano, leastNano]), estimate }
}

test('a balance below the minimum is held for a call that is estimated to need no more', async () => {
  const { outcome, ways } = await holdAt([shortage(30n), held(30n)])
  expect(outcome.callFor).toBe(estimated)
  expect(ways).toEqual([
    [50n, 50n],
    [50n, 20n],
  ])
})

test('a balance that is topped up meanwhile is held for a call that costs no more for certain', async () => {
  expect((await holdAt([shortage(30n), held(50n)])).outcome.callFor).toBe(certain)
})

test('an empty balance is refused without an estimate', async () => {
  const { outcome, ways, estimate } = await holdAt([shortage(0n)])
  expect(outcome).toMatchObject({ code: 'insufficient_credit' })
  expect(ways).toHaveLength(1)
  expect(estimate).not.toHaveBeenCalled()
})

test('a maximum charge below the estimate is refused, whatever the balance', async () => {
  const { outcome, ways } = await holdAt([], { most: 19n })
  expect(outcome).toMatchObject({ code: 'price_above_limit' })
  expect(ways).toEqual([])
})

test('a maximum charge above an estimate is held whole, with the rest of what it can cost at risk', async () => {
  const { outcome, ways } = await holdAt([held(60n)], { most: 60n })
  expect(outcome.callFor).toBe(estimated)
  expect(ways).toEqual([[90n, 60n]])
})

test('a maximum charge above a guess is held for a call that costs no more for certain, and below it for none', async () => {
  const { outcome, ways } = await holdAt([held(60n)], { most: 60n, isGuess: true })
  expect(outcome.callFor).toBe(certain)
  expect(ways).toEqual([[50n, 50n]])
  const below = await holdAt([], { most: 49n, isGuess: true })
  expect(below.outcome).toMatchObject({ code: 'price_above_limit' })
  expect(below.ways).toEqual([])
})
