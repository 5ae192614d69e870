import { expect, test } from '@jest/globals'
import { isTooDeep, JSON_DEPTH_MAX } from './json-depth'

function nested(depth: number): unknown {
  return JSON.parse('['.repeat(depth) + ']'.repeat(depth))
}

test.each([
  ['a level more than the limit', nested(JSON_DEPTH_MAX + 1), true],
  ['far more than the stack', nested(100_000), true],
  ['deep only in a field', { a: 1, b: { c: [nested(JSON_DEPTH_MAX)] } }, true],
  ['just the limit', nested(JSON_DEPTH_MAX), false],
  ['wide, not deep', Array.from({ length: 10_000 }, () => ({})), false],
  ['a string', '['.repeat(1_000), false],
  ['nothing', null, false],
])('%s', (_name, value, expected) => {
  expect(isTooDeep(value)).toBe(expected)
})
