import { describe, expect, test } from '@jest/globals'
import { flowOfAddress, flowOfPath } from './flow'

describe('the flow of a path', () => {
  test.each(['/nothing', '/v1/models', '/prices', '/topup/status/1'])('is none for %s', path => {
    expect(flowOfPath(path)).toBeNull()
  })

  test.each([
    ['/', 'chat'],
    ['', 'chat'],
    ['/pricing', 'pricing'],
    ['/en/pricing', 'pricing'],
    ['/top-up', 'payment'],
    ['/top-up/return', 'payment'],
    ['/account', 'account'],
    ['/account/keys', 'account'],
  ])('%s is %s', (path, flow) => {
    expect(flowOfPath(path)).toBe(flow)
  })
})

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
