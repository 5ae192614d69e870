import { describe, expect, test } from '@jest/globals'
import { restMs, runsBy } from './show-pace'

describe('a page', () => {
  test('updates a readable answer twenty times a second, and a fast one seven times', () => {
    expect([restMs(false, 10), restMs(true, 10), restMs(true, 30)]).toEqual([50, 150, 150])
  })

  test('decides by the pace whether an answer is fast, whatever the interval', () => {
    expect([runsBy(100, 50), runsBy(101, 50), runsBy(101, 16), runsBy(101, 150)]).toEqual([
      false,
      true,
      true,
      false,
    ])
    expect([runsBy(301, 150), runsBy(301, Number.POSITIVE_INFINITY)]).toEqual([true, true])
  })

  test('that is busy waits three times as long as an update took, at most a second', () => {
    expect([restMs(false, 60), restMs(true, 90), restMs(false, 5_000)]).toEqual([180, 270, 1_000])
  })
})
