import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { periodStartSeconds } from './period'
import { DAY_COUNT_MAX, dailyTotals, modelTotals } from './totals'

const NOW = new Date(2026, 2, 30, 15, 0)
const call = (date: Date, usd: number, model = 'a') => ({
  timestamp: date.toISOString(),
  model,
  price_in_usd: usd,
})

describe('totals per day', () => {
  test('are empty without calls', () => {
    expect(dailyTotals([], NOW.getTime())).toEqual([])
  })

  test('cover all days from the first call to today', () => {
    const days = dailyTotals([call(new Date(2026, 2, 23, 23, 59), 0.1), call(NOW, 0.2)], NOW.getTime())
    expect(days.map(({ date, usd }) => [date.getDate(), usd])).toEqual([
      [23, 0.1],
      [24, 0],
      [25, 0],
      [26, 0],
      [27, 0],
      [28, 0],
      [29, 0],
      [30, 0.2],
    ])
  })

  test('of a single day are shown at the end of a week', () => {
    const days = dailyTotals([call(NOW, 0.2)], NOW.getTime())
    expect(days.map(({ date }) => date.getDate())).toEqual([24, 25, 26, 27, 28, 29, 30])
    expect(days.map(({ usd }) => usd)).toEqual([0, 0, 0, 0, 0, 0, 0.2])
  })

  test('add up exactly', () => {
    const calls = Array.from({ length: 10 }, () => call(NOW, 0.1))
    expect(dailyTotals(calls, NOW.getTime()).at(-1)?.usd).toBe(1)
  })

  test('reach to a call of a later day than this clock says', () => {
    const days = dailyTotals([call(new Date(2026, 2, 31, 0, 5), 0.2)], NOW.getTime())
    expect(days).toHaveLength(7)
    expect(days.at(-1)).toEqual({ date: new Date(2026, 2, 31), usd: 0.2 })
  })

  test('are limited to the newest days', () => {
    const days = dailyTotals([call(new Date(2020, 0, 1), 1), call(NOW, 2)], NOW.getTime())
    expect(days).toHaveLength(DAY_COUNT_MAX)
    expect(days.at(-1)?.usd).toBe(2)
  })
})

describe('totals per model', () => {
  test('are sorted by cost, then by use', () => {
    const calls = [call(NOW, 0, 'free'), call(NOW, 0, 'busy'), call(NOW, 0, 'busy'), call(NOW, 0.5, 'dear')]
    expect(modelTotals(calls).map(({ modelId }) => modelId)).toEqual(['dear', 'busy', 'free'])
  })

  test('add up to the cost of all calls', () => {
    const calls = fc.array(fc.record({ nano: fc.nat(), modelId: fc.constantFrom('a', 'b', 'c') }), {
      maxLength: 50,
    })
    fc.assert(
      fc.property(calls, list => {
        const totals = modelTotals(list.map(({ nano, modelId }) => call(NOW, nano / 1e9, modelId)))
        const sumNano = totals.reduce((sum, { usd }) => sum + Math.round(usd * 1e9), 0)
        expect(sumNano).toBe(list.reduce((sum, { nano }) => sum + nano, 0))
      }),
    )
  })
})

test.each([
  ['day', new Date(2026, 2, 30)],
  ['week', new Date(2026, 2, 24)],
  ['month', new Date(2026, 2, 1)],
] as const)('the period %s begins at midnight', (period, start) => {
  expect(periodStartSeconds(period, NOW.getTime())).toBe(start.getTime() / 1000)
})

test('the period of all calls has no beginning', () => {
  expect(periodStartSeconds('all', NOW.getTime())).toBeNull()
})
