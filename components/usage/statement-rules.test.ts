import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { formatUsd } from '@/lib/money/nano'
import { compareCalls, makeStatement, readOtherModels, statementMonths } from './statement-rules'
import { someCall } from './testing'

function otherModel(pricing: Record<string, unknown>) {
  const [model] = readOtherModels(JSON.stringify({ data: [{ id: 'b', name: 'B', pricing }] }))
  if (!model) throw new Error('There is no such model.')
  return model
}
const HALF = otherModel({ prompt: '0.0000005', completion: '0.000001' })

describe('a statement', () => {
  test('sums every call by its model, to the nano-dollar', () => {
    const calls = fc.array(
      fc.record({ model: fc.constantFrom('a', 'b', 'c'), nano: fc.nat(2_000_000_000), count: fc.nat(9_999) }),
    )
    fc.assert(
      fc.property(calls, list => {
        const { rows, callCount, chargedNano } = makeStatement(
          list.map(({ model, nano, count }) =>
            someCall({ model, price_in_usd: Number(formatUsd(BigInt(nano))), input_count: count }),
          ),
        )
        const sumOf = (model: string) =>
          list.filter(each => each.model === model).reduce((sum, each) => sum + BigInt(each.nano), 0n)
        expect(callCount).toBe(list.length)
        expect(chargedNano).toBe(sumOf('a') + sumOf('b') + sumOf('c'))
        for (const row of rows) expect(row.chargedNano).toBe(sumOf(row.modelId))
        expect(rows.reduce((sum, row) => sum + row.inputTokenCount, 0)).toBe(
          list.reduce((sum, each) => sum + each.count, 0),
        )
        const sums = rows.map(row => row.chargedNano)
        expect(sums).toEqual([...sums].sort((left, right) => (left < right ? 1 : left > right ? -1 : 0)))
      }),
    )
  })

  test('does not count characters as tokens', () => {
    const spoken = someCall({ query_type: 'speech', price_snapshot: { input_character: '0.00003' } })
    expect(makeStatement([spoken]).rows[0]).toMatchObject({ inputTokenCount: 0, outputTokenCount: 0 })
  })

  test('has adjacent months, the current one first', () => {
    const months = statementMonths(new Date(2026, 0, 31, 12).getTime(), 3)
    expect(months.map(({ first }) => first.getMonth())).toEqual([0, 11, 10])
    expect(months[0]?.fromSeconds).toBe(months[1]?.toSeconds)
  })
})

describe('the comparison with another model', () => {
  test('is half at half the prices, and equal at the same prices', () => {
    const own = otherModel({ prompt: '0.000001', completion: '0.000002' })
    expect(compareCalls([someCall(), someCall()], HALF)).toMatchObject({ callCount: 2, changePercent: -50 })
    expect(compareCalls([someCall(), someCall()], own)).toMatchObject({
      changePercent: 0,
      unreckonedNano: 0n,
    })
  })

  test('uses prices that depend on the prompt length', () => {
    const longer = otherModel({
      prompt: '0.0000005',
      completion: '0.000001',
      overrides: [{ min_prompt_tokens: 900, prompt: '0.000002' }],
    })
    expect(compareCalls([someCall()], longer).otherNano).toBe(2_500_000n)
    expect(compareCalls([someCall({ input_count: 900 })], longer).otherNano).toBe(950_000n)
  })

  test('leaves out calls that are not text, and failed calls that cost nothing', () => {
    const drawn = someCall({ query_type: 'image' })
    const failed = someCall({ status: 'failed', price_in_usd: 0, cost_basis: 'none' })
    expect(compareCalls([someCall(), drawn, failed], HALF)).toMatchObject({
      callCount: 1,
      leftOutCount: 1,
      paidNano: 2_000_000n,
    })
  })

  test('shows what a free model’s answers would have cost', () => {
    const free = someCall({
      price_in_usd: 0,
      cost_basis: 'none',
      price_snapshot: { prompt: '0', completion: '0' },
    })
    expect(compareCalls([free], HALF)).toMatchObject({ changePercent: null, otherNano: 1_000_000n })
  })

  test('names reasoning, cached tokens and other cost that it cannot compare', () => {
    const thought = someCall({ reasoning_count: 40, cached_input_count: 30, price_in_usd: 0.005 })
    expect(compareCalls([thought], HALF)).toMatchObject({
      reasoningTokenCount: 40,
      cachedTokenCount: 30,
      unreckonedNano: 3_000_000n,
    })
  })
})
