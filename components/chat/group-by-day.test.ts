import { describe, expect, test } from '@jest/globals'
import { groupByDay } from './group-by-day'

const at = (...parts: [number, number, number, number, number]) => ({
  writtenMs: new Date(...parts).getTime(),
})

describe('conversations by day', () => {
  test('a minute before midnight belongs to the previous day', () => {
    const groups = groupByDay([at(2026, 10, 20, 0, 1), at(2026, 10, 19, 23, 59)], new Date(2026, 10, 20, 9))
    expect(groups.map(({ daysAgo }) => daysAgo)).toEqual([0, 1])
  })

  test('keep their order, and a day with a clock change counts as one day', () => {
    const entries = [at(2026, 10, 1, 12, 0), at(2026, 9, 24, 12, 0), at(2026, 9, 24, 8, 0)]
    const groups = groupByDay(entries, new Date(2026, 10, 1, 13))
    expect(groups.map(({ daysAgo, entries: inDay }) => [daysAgo, inDay.length])).toEqual([
      [0, 1],
      [8, 2],
    ])
  })
})
