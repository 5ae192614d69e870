import { expect, test } from '@jest/globals'
import { createLayoutShift } from './layout-shift'

function worstOf(shifts: [startMs: number, value: number][]): number {
  const layoutShift = createLayoutShift()
  return shifts.map(([startMs, value]) => layoutShift.add(startMs, value)).at(-1) ?? 0
}

test('shifts within a second of each other add up', () => {
  expect(
    worstOf([
      [0, 1],
      [999, 2],
      [1_998, 4],
    ]),
  ).toBe(7)
})

test('a second without a shift starts a new session window, and the worst one counts', () => {
  expect(
    worstOf([
      [0, 4],
      [1_000, 2],
      [1_500, 1],
    ]),
  ).toBe(4)
})

test('a session window lasts at most five seconds', () => {
  const shifts = Array.from({ length: 11 }, (_, index): [number, number] => [index * 500, 1])
  expect(worstOf(shifts)).toBe(10)
})
