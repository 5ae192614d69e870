import { beforeEach, expect, jest, test } from '@jest/globals'
import { CompiledQuery } from 'kysely'
import { describeOnPostgres } from '@/lib/db/testing'
import { hashSecret } from '@/lib/http/credential'
import { createRateLimits } from '@/lib/http/rate-limits'
import { ACTIVE_KEY_COUNT_MAX } from '@/lib/ledger/domain/keys'
import { createEmbeddedLedger } from '@/lib/ledger/server/embedded-ledger'
import { answerApi } from '@/test/support/answer-api'

const services = jest.fn<() => Promise<unknown>>()
jest.unstable_mockModule('@/lib/composition', () => ({ services }))

/** At twenty accounts each, more than all addresses together may open in an hour. */
const ADDRESS_COUNT = 105
const PARALLEL_COUNT = 16

describeOnPostgres('a flood', getDatabase => {
  let ledger: ReturnType<typeof createEmbeddedLedger>
  let rateLimits: ReturnType<typeof createRateLimits>

  beforeEach(() => {
    const database = getDatabase()
    ledger = createEmbeddedLedger({ database })
    rateLimits = createRateLimits({
      query: (text, values) => database.kysely.executeQuery(CompiledQuery.raw(text, values)),
      onVercel: false,
    })
    services.mockImplementation(async () => ({ ledger, rateLimits }))
  })

  test('of new accounts is limited, but a new address can still create its first account', async () => {
    const create = (address: string) => post('/accounts/create', address)
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
  })

  test('of new keys is limited per account, by rate across all addresses and by the number of keys', async () => {
    const { credit_id: creditId } = await (await post('/accounts/create', '10.1.0.1')).json()
    const ask = (address: string) => post('/keys', address, creditId)
    const statuses: number[] = []
    for (let index = 0; index < 62; index += 1) statuses.push((await ask(`10.2.${index}.1`)).status)
    expect(statuses).toEqual([...Array(60).fill(201), 429, 429])

    const { credit_id: otherId } = await (await post('/accounts/create', '10.1.0.1')).json()
    const accountId = await accountOf(otherId)
    const limits = { usageLimitNano: null, resetPeriod: 'none', routing: null, expiresAt: null } as const
    const first = await ledger.listKeys({ accountId })
    for (let index = first.length; index < ACTIVE_KEY_COUNT_MAX; index += 1) {
      await ledger.createKey({
        accountId,
        secretHash: hashSecret(`${index}`),
        hint: '',
        label: '',
        ...limits,
      })
    }
    const refused = await post('/keys', '10.3.0.1', otherId)
    expect([refused.status, (await refused.json()).error.code]).toEqual([409, 'too_many_keys'])
  })

  async function accountOf(creditId: string): Promise<string> {
    const balance = await ledger.getBalance({
      credential: { kind: 'credit_id', secretHash: hashSecret(creditId) },
    })
    return balance?.accountId ?? ''
  }
})

function post(path: string, address: string, creditId?: string): Promise<Response> {
  const headers = new Headers({ 'x-client-address': address })
  if (creditId !== undefined) headers.set('authorization', `Bearer ${creditId}`)
  return answerApi(new Request(`https://site.test${path}`, { method: 'POST', headers, body: '{}' }))
}
