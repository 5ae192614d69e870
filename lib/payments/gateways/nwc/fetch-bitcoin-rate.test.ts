import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startJsonServer } from '@/test/stand-ins/json-server'
import { GatewayError } from '../../domain/gateway'
import { decimal } from '../../server/testing'
import { fetchBitcoinRate } from './fetch-bitcoin-rate'

const GOOD = { data: { amount: '85240.10', base: 'BTC', currency: 'USD' } }

describe('the source of the bitcoin rate', () => {
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
  ])('is not believed when it answers %d %j', async (status, body) => {
    answer = { status, body }
    await expect(fetchBitcoinRate(server.url)).rejects.toThrow(GatewayError)
  })
})
