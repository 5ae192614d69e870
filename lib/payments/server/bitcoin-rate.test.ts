import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import type { Decimal } from '@/lib/money/decimal'
import { startJsonServer } from '@/test/stand-ins/json-server'
import { GatewayError } from '../domain/gateway'
import { cacheRate, fetchBitcoinRate } from './bitcoin-rate'
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
  test('is an error while none was ever fetched', async () => {
    const { fetchRate, getRate } = source()
    fetchRate.mockRejectedValue(new GatewayError('down'))
    await expect(getRate()).rejects.toThrow(GatewayError)
  })

  test('is an error if it is older than ten minutes and its source is down', async () => {
    const { fetchRate, getRate, pass } = source()
    fetchRate.mockResolvedValueOnce(decimal('85240.1')).mockRejectedValue(new GatewayError('down'))
    await getRate()
    pass(10 * MINUTE_MS)
    expect(await getRate()).toEqual(decimal('85240.1'))
    pass(1)
    await expect(getRate()).rejects.toThrow(GatewayError)
  })

  test('is fetched once a minute, also under parallel requests', async () => {
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

  test('is fetched anew for valuing a payment, which also serves everyone for the next minute', async () => {
    const { fetchRate, getRate, pass } = source()
    fetchRate.mockResolvedValueOnce(decimal('85240.1')).mockResolvedValue(decimal('60000'))
    await getRate()
    pass(1)
    expect(await getRate({ fresh: true })).toEqual(decimal('60000'))
    expect(await getRate()).toEqual(decimal('60000'))
    expect(fetchRate).toHaveBeenCalledTimes(2)
  })

  test('is an error if a fresh one is required and its source is down', async () => {
    const { fetchRate, getRate } = source()
    fetchRate.mockResolvedValueOnce(decimal('85240.1')).mockRejectedValue(new GatewayError('down'))
    await getRate()
    await expect(getRate({ fresh: true })).rejects.toThrow(GatewayError)
    expect(await getRate()).toEqual(decimal('85240.1'))
  })

  test('is not replaced by the late answer to an earlier request', async () => {
    const { fetchRate, getRate, pass } = source()
    let answerLate = (_rate: Decimal) => {}
    fetchRate
      .mockReturnValueOnce(
        new Promise(resolve => {
          answerLate = resolve
        }),
      )
      .mockResolvedValueOnce(decimal('60000'))
    const early = getRate()
    pass(1)
    await getRate({ fresh: true })
    answerLate(decimal('85240.1'))
    expect(await early).toEqual(decimal('60000'))
  })

  test('is not fetched again within a minute if its source is down', async () => {
    const { fetchRate, getRate, pass } = source()
    fetchRate.mockRejectedValue(new GatewayError('down'))
    await expect(getRate()).rejects.toThrow(GatewayError)
    pass(MINUTE_MS / 2)
    await expect(getRate()).rejects.toThrow(GatewayError)
    expect(fetchRate).toHaveBeenCalledTimes(1)
  })
})

const GOOD = { data: { amount: '85240.10', base: 'BTC', currency: 'USD' } }

describe('the answer of the bitcoin rate’s source', () => {
  let answer: { status: number; body: unknown } = { status: 200, body: GOOD }
  let server: Awaited<ReturnType<typeof startJsonServer>>
  beforeAll(async () => {
    server = await startJsonServer({ answer: () => answer })
  })
  afterAll(() => server.stop())

  test('is read exactly', async () => {
    answer = { status: 200, body: GOOD }
    expect(await fetchBitcoinRate(server.url)).toEqual(decimal('85240.1'))
  })

  test.each([
    [500, GOOD],
    [200, { data: { ...GOOD.data, currency: 'EUR' } }],
    [200, { data: { ...GOOD.data, base: 'ETH' } }],
    [200, { data: { ...GOOD.data, amount: '0' } }],
    [200, { data: { ...GOOD.data, amount: '-85240' } }],
    [200, { data: { ...GOOD.data, amount: '1e30' } }],
    [200, { data: { ...GOOD.data, amount: 85240.1 } }],
    [200, { rate: 85240 }],
    [200, null],
  ])('is rejected if it is %d %j', async (status, body) => {
    answer = { status, body }
    await expect(fetchBitcoinRate(server.url)).rejects.toThrow(GatewayError)
  })
})
