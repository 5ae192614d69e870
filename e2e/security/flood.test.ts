import { expect, jest, test } from '@jest/globals'
import { CompiledQuery } from 'kysely'
import { describeOnPostgres } from '@/lib/db/testing'
import { createRateLimits } from '@/lib/http/rate-limits'
import { createEmbeddedLedger } from '@/lib/ledger/server/embedded-ledger'
import { serveHandler } from '@/test/support/serve-handler'

const services = jest.fn<() => Promise<unknown>>()
jest.unstable_mockModule('@/lib/composition', () => ({ services }))
const { POST: createAccount } = await import('@/app/(api)/accounts/create/route')

/** More than all may open in an hour. */
const ADDRESS_COUNT = 105
const PARALLEL_COUNT = 16

describeOnPostgres('beside a flood of new accounts', getDatabase => {
  test('a newcomer gets one, whoever else was here before', async () => {
    const database = getDatabase()
    services.mockResolvedValue({
      ledger: createEmbeddedLedger({ database }),
      rateLimits: createRateLimits({
        query: (text, values) => database.kysely.executeQuery(CompiledQuery.raw(text, values)),
        onVercel: false,
      }),
    })
    const server = await serveHandler(request => createAccount(request, undefined))
    const create = async (address: string) => {
      const response = await fetch(server.url, { method: 'POST', headers: { 'x-client-address': address } })
      await response.text()
      return response
    }
    const statuses: number[] = []
    const waiting = Array.from(
      { length: ADDRESS_COUNT * 20 },
      (_, index) => `10.0.${index % ADDRESS_COUNT}.1`,
    )
    const worker = async () => {
      for (let address = waiting.pop(); address; address = waiting.pop()) {
        statuses.push((await create(address)).status)
      }
    }
    await Promise.all(Array.from({ length: PARALLEL_COUNT }, worker))
    expect(statuses.filter(status => status === 200).length).toBeGreaterThanOrEqual(2_000)

    for (const newcomer of ['192.0.2.1', '2001:db8::1', '::ffff:198.51.100.1']) {
      expect((await create(newcomer)).status).toBe(200)
    }
    const busy = await create('10.0.1.1')
    expect(busy.status).toBe(429)
    expect(Number(busy.headers.get('retry-after'))).toBeLessThanOrEqual(3_600)
    await server.close()
  })
})
