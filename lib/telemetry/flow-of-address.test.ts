import { expect, test } from '@jest/globals'
import { flowOfAddress } from './flow-of-address'

test.each([
  ['/de', 'chat'],
  ['/', 'chat'],
  ['/fr/top-up', 'payment'],
  ['/it/account', 'account'],
  ['/pricing', 'pricing'],
  ['/description', null],
  ['/es/refill', null],
])('the flow of the address %s is %s', (path, flow) => {
  expect(flowOfAddress(path)).toBe(flow)
})
