import { describe, expect, jest, test } from '@jest/globals'
import type { Decimal } from '@/lib/money/decimal'
import { GatewayError } from '../domain/gateway'
import { cacheRate } from './cache-rate'
import { decimal } from './testing'

const MINUTE_MS = 60_000

function source() {
  const fetchRate = jest.fn<() => Promise<Decimal>>()
  let nowMs = 0
  const getRate = cacheRate({ fetchRate, now: () => nowMs })
  return {
    fetchRate,
    getRate,
    pass: (milliseconds: number) => {
      nowMs += milliseconds
    },
  }
}

describe('the rate of bitcoin', () => {
  test('is refused while none was ever known', async () => {
    const { fetchRate, getRate } = source()
    fetchRate.mockRejectedValue(new GatewayError('down'))
    await expect(getRate()).rejects.toThrow(GatewayError)
  })

  test('is refused once it is older than ten minutes and its source is down', async () => {
    const { fetchRate, getRate, pass } = source()
    fetchRate.mockResolvedValueOnce(decimal('85240.1')).mockRejectedValue(new GatewayError('down'))
    await getRate()
    pass(10 * MINUTE_MS)
    expect(await getRate()).toEqual(decimal('85240.1'))
    pass(1)
    await expect(getRate()).rejects.toThrow(GatewayError)
  })

  test('is asked for once a minute, by however many at once', async () => {
    const { fetchRate, getRate, pass } = source()
    fetchRate.mockResolvedValue(decimal('85240.1'))
    await Promise.all([getRate(), getRate(), getRate()])
    pass(MINUTE_MS - 1)
    await getRate()
    expect(fetchRate).toHaveBeenCalledTimes(1)
    pass(1)
    await getRate()
    expect(fetchRate).toHaveBeenCalledTimes(2)
  })

  test('does not hammer a source that is down', async () => {
    const { fetchRate, getRate, pass } = source()
    fetchRate.mockRejectedValue(new GatewayError('down'))
    await expect(getRate()).rejects.toThrow(GatewayError)
    pass(MINUTE_MS / 2)
    await expect(getRate()).rejects.toThrow(GatewayError)
    expect(fetchRate).toHaveBeenCalledTimes(1)
  })
})
