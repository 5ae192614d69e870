import { describe, expect, test } from '@jest/globals'
import { restMs, runsBy } from './show-pace'

describe('a page', () => {
  test('is given what can be read along twenty times a second, and what runs by seven times', () => {
    expect([restMs(false, 10), restMs(true, 10), restMs(true, 30)]).toEqual([50, 150, 150])
  })

  test('tells by the pace what runs by: what was slow enough before is so at longer intervals, too', () => {
    expect([runsBy(100, 50), runsBy(101, 50), runsBy(101, 16), runsBy(101, 150)]).toEqual([
      false,
      true,
      true,
      false,
    ])
    expect([runsBy(301, 150), runsBy(301, Number.POSITIVE_INFINITY)]).toEqual([true, true])
  })

  test('that is busy gets three times as long as it took, and a second at the most', () => {
    expect([restMs(false, 60), restMs(true, 90), restMs(false, 5_000)]).toEqual([180, 270, 1_000])
  })
})
