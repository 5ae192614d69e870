import { describe, expect, jest, test } from '@jest/globals'
import { BACKOFF_MAX_MS, balanceOptions, RETRY_COUNT_MAX, retryDelayMs } from './balance-options'

describe('retries of a failed balance', () => {
  test('end after the third', () => {
    jest.useFakeTimers()
    const revalidate = jest.fn()
    balanceOptions.onErrorRetry(new Error('x'), 'key', {}, revalidate, { retryCount: RETRY_COUNT_MAX + 1 })
    jest.runAllTimers()
    expect(revalidate).not.toHaveBeenCalled()
    balanceOptions.onErrorRetry(new Error('x'), 'key', {}, revalidate, { retryCount: RETRY_COUNT_MAX })
    jest.runAllTimers()
    expect(revalidate.mock.calls).toEqual([[{ retryCount: RETRY_COUNT_MAX }]])
    jest.useRealTimers()
  })

  test('wait twice as long each time, and never above half a minute', () => {
    expect([1, 2, 3, 4].map(retryDelayMs)).toEqual([1000, 2000, 4000, 8000])
    expect(retryDelayMs(20)).toBe(BACKOFF_MAX_MS)
  })

  test('what was fetched is kept for five minutes', () => {
    expect(balanceOptions.dedupingInterval).toBe(300_000)
  })
})
