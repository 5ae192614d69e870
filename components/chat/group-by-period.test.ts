import { describe, expect, test } from '@jest/globals'
import { groupByPeriod } from './group-by-period'

type Parts = [number, number, number, number, number]

const groupsOf = (now: Date, ...times: Parts[]) =>
  groupByPeriod(
    times.map(parts => ({ writtenMs: new Date(...parts).getTime() })),
    now,
  ).map(({ name, begin, entries }) => [name, begin.getMonth() + 1, begin.getDate(), entries.length])

describe('conversations by period', () => {
  test('a minute before midnight belongs to the previous day', () => {
    expect(groupsOf(new Date(2026, 10, 20, 9), [2026, 10, 20, 0, 1], [2026, 10, 19, 23, 59])).toEqual([
      ['today', 11, 20, 1],
      ['yesterday', 11, 19, 1],
    ])
  })

  test('the week before yesterday stands under one name, and what is older under its month', () => {
    expect(
      groupsOf(
        new Date(2026, 10, 20, 9),
        [2026, 10, 18, 23, 59],
        [2026, 10, 13, 0, 0],
        [2026, 10, 12, 23, 59],
        [2026, 10, 1, 0, 0],
        [2026, 9, 31, 23, 59],
        [2025, 9, 31, 8, 0],
      ),
    ).toEqual([
      ['lastWeek', 11, 13, 2],
      ['month', 11, 1, 2],
      ['month', 10, 1, 1],
      ['month', 10, 1, 1],
    ])
  })

  test('a week in which the clocks change has seven days', () => {
    expect(groupsOf(new Date(2026, 10, 1, 0, 30), [2026, 9, 25, 0, 0], [2026, 9, 24, 23, 59])).toEqual([
      ['lastWeek', 10, 25, 1],
      ['month', 10, 1, 1],
    ])
  })

  test('a message of tomorrow, by a clock that was wrong, is one of today', () => {
    expect(groupsOf(new Date(2026, 10, 20, 9), [2026, 10, 21, 9, 0])).toEqual([['today', 11, 20, 1]])
  })
})
