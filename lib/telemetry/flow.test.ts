import { describe, expect, test } from '@jest/globals'
import { flowOfAddress, flowOfPath } from './flow'

describe('the flow of a path', () => {
  test.each(['/nothing', '/v1/models', '/prices', '/topup/status/1'])('is none for %s', path => {
    expect(flowOfPath(path)).toBeNull()
  })

  test.each([
    ['/', 'chat'],
    ['', 'chat'],
    ['/c/0b0e7c9e-5d3c-4a53-9d5c-2f1d5f3f6a01', 'chat'],
    ['/c/account', 'chat'],
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
  ['/de/c/pricing', 'chat'],
  ['/fr/top-up', 'payment'],
  ['/it/account', 'account'],
  ['/pricing', 'pricing'],
  ['/description', null],
  ['/es/refill', null],
])('the flow of the address %s is %s', (path, flow) => {
  expect(flowOfAddress(path)).toBe(flow)
})
