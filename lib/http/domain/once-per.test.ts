import { expect, test } from '@jest/globals'
import { oncePer } from './once-per'

test('what is made of an object is made once, and of each other object anew', () => {
  const boxOf = oncePer((source: object) => ({ source }))
  const [one, other] = [{}, {}]
  expect(boxOf(one)).toBe(boxOf(one))
  expect(boxOf(other)).toEqual({ source: other })
  expect(boxOf(other)).not.toBe(boxOf(one))
})
