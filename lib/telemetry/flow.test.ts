import { describe, expect, test } from '@jest/globals'
import { flowOfPath } from './flow'

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
