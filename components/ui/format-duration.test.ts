import { expect, test } from '@jest/globals'
import { formatDuration } from './format-duration'

test.each([
  [0, '0:00'],
  [59, '0:59'],
  [900, '15:00'],
  [3723, '1:02:03'],
])('%s seconds are written %s', (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text)
})
