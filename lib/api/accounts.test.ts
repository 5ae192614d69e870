import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, expect, jest, test } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import { ApiError } from '@/lib/http/api-error'
import { hashSecret } from '@/lib/http/credential'
import type { Ledger } from '@/lib/ledger/domain/ledger'
import { createEmbeddedLedger } from '@/lib/ledger/server/embedded-ledger'
import { createTestKey } from '@/lib/ledger/testing'
import { answerApi } from '@/test/support/answer-api'

const API_KEY = `sk-${'a'.repeat(32)}`

const services = jest.fn<() => Promise<unknown>>()
jest.unstable_mockModule('@/lib/composition', () => ({ services }))

describeOnPostgres('POST /accounts/create', getDatabase => {
  test.each([
    [{}, 1],
    [{ with_api_key: true }, 1],
    [{ with_api_key: false }, 0],
  ])('the body %j creates %d keys and shows them', async (body, keyCount) => {
    const ledger = createEmbeddedLedger({ database: getDatabase() })
    services.mockResolvedValue({ ledger, rateLimits: { take: async () => undefined } })
    const response = await answerApi(
      new Request('https://site.test/accounts/create', { method: 'POST', body: JSON.stringify(body) }),
    )
    const { credit_id: creditId, api_key: apiKey } = await response.json()
    const credential = { kind: 'credit_id', secretHash: hashSecret(creditId) } as const
    const { accountId } = (await ledger.getBalance({ credential })) ?? { accountId: '' }
    expect(await ledger.listKeys({ accountId })).toHaveLength(keyCount)
    expect(typeof apiKey === 'string').toBe(keyCount === 1)
  })
})

describeOnPostgres('POST /keys', getDatabase => {
  test.each([
    [{ limit: 1 }, 'limit'],
    [{ routing: { zdr: true } }, 'zdr'],
    [{ routing: { provider: { data_colection: 'deny' } } }, 'data_colection'],
    [{ routing: { provider: { max_price: { promt: '1' } } } }, 'promt'],
  ])('an unknown limit field in %j does not create an unlimited key', async (body, name) => {
    const { response, keys } = await createKey(body)
    expect(response.status).toBe(400)
    expect((await response.json()).error.message).toContain(name)
    expect(keys).toEqual([])
  })

  test('a key that is given no label has none, so that every page can name it in its own language', async () => {
    const { response, keys } = await createKey({})
    expect(await response.json()).toMatchObject({ label: '' })
    expect(keys).toMatchObject([{ label: '' }])
  })

  test('a credit that was closed after its caller was identified is unknown', async () => {
    const { response, keys } = await createKey({}, async (ledger, creditIdHash) => {
      const into = { creditIdHash: hashSecret(randomUUID()), firstKey: null, attribution: null }
      await ledger.createAccount(into)
      await ledger.merge({
        from: { kind: 'credit_id', secretHash: creditIdHash },
        into: { kind: 'credit_id', secretHash: into.creditIdHash },
        reference: 'leaked',
        closes: true,
      })
    })
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_credential' } })
    expect(keys).toEqual([])
  })

  async function createKey(
    body: unknown,
    meanwhile: (ledger: Ledger, creditIdHash: string) => Promise<void> = async () => {},
  ) {
    const ledger = createEmbeddedLedger({ database: getDatabase() })
    const creditId = randomUUID()
    const account = { creditIdHash: hashSecret(creditId), firstKey: null, attribution: null }
    const { accountId } = await ledger.createAccount(account)
    // Taken between the look-up of the caller and the handler.
    const take = () => meanwhile(ledger, account.creditIdHash)
    services.mockResolvedValue({ ledger, rateLimits: { take } })
    const response = await answerApi(
      new Request('https://site.test/keys', {
        method: 'POST',
        headers: { authorization: `Bearer ${creditId}` },
        body: JSON.stringify(body),
      }),
    )
    return { response, keys: await ledger.listKeys({ accountId }) }
  }
})

describeOnPostgres('PATCH /keys/{id}', getDatabase => {
  test('too many changes are refused without effect', async () => {
    const ledger = createEmbeddedLedger({ database: getDatabase() })
    const creditId = randomUUID()
    const account = { creditIdHash: hashSecret(creditId), firstKey: null, attribution: null }
    const { accountId } = await ledger.createAccount(account)
    const { keyId } = await createTestKey(ledger, { accountId })
    const take = async (name: string, _headers: Headers, who?: string) => {
      if (name === 'key_change' && who === accountId) throw new ApiError('rate_limited', 'Too many requests.')
    }
    services.mockResolvedValue({ ledger, rateLimits: { take } })
    const response = await answerApi(
      new Request(`https://site.test/keys/${keyId}`, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${creditId}` },
        body: JSON.stringify({ label: 'renamed' }),
      }),
    )
    expect(response.status).toBe(429)
    expect(await ledger.getKey({ accountId, keyId })).toMatchObject({ label: 'test' })
  })
})

describeOnPostgres('a credential', getDatabase => {
  test.each([
    ['that is unknown', randomUUID(), ['unknown_credential']],
    ['that has no such form', 'sk-short', []],
  ])('%s is refused, and counts as a guess only if it was looked up', async (_what, credential, expected) => {
    const taken: string[] = []
    const rateLimits = { take: async (name: string) => void taken.push(name) }
    services.mockResolvedValue({ ledger: createEmbeddedLedger({ database: getDatabase() }), rateLimits })
    const headers = { authorization: `Bearer ${credential}` }
    const answer = await answerApi(new Request('https://site.test/keys', { headers }))
    expect([answer.status, taken]).toEqual([401, expected])
  })
})

describeOnPostgres('POST /accounts/merge', getDatabase => {
  let ledger: ReturnType<typeof createEmbeddedLedger>
  let taken: string[]
  beforeAll(() => {
    ledger = createEmbeddedLedger({ database: getDatabase() })
    services.mockResolvedValue({
      ledger,
      rateLimits: { take: async (name: string) => void taken.push(name) },
    })
  })
  beforeEach(() => {
    taken = []
  })

  async function newCredit(usd: bigint): Promise<{ creditId: string; accountId: string }> {
    const creditId = randomUUID()
    const account = { creditIdHash: hashSecret(creditId), firstKey: null, attribution: null }
    const { accountId } = await ledger.createAccount(account)
    const move = { accountId, source: 'gateway', reference: randomUUID(), memo: {} } as const
    if (usd > 0n) await ledger.credit({ ...move, amountNano: usd * 1_000_000_000n })
    return { creditId, accountId }
  }
  async function merge(credential: string | null, body: unknown, headers: Record<string, string> = {}) {
    const response = await answerApi(
      new Request('https://site.test/accounts/merge', {
        method: 'POST',
        headers: credential === null ? headers : { ...headers, authorization: `Bearer ${credential}` },
        body: JSON.stringify(body),
      }),
    )
    return { status: response.status, body: await response.json() }
  }
  const balanceNano = async (creditId: string) =>
    (await ledger.getBalance({ credential: { kind: 'credit_id', secretHash: hashSecret(creditId) } }))
      ?.balanceNano

  test('refuses an API key, an unknown credit_id and a missing credential, and moves nothing', async () => {
    const from = await newCredit(2n)
    const into = await newCredit(1n)
    await createTestKey(ledger, { accountId: into.accountId, secretHash: hashSecret(API_KEY) })
    const body = { from_credit_id: from.creditId }
    expect((await merge(API_KEY, body)).status).toBe(403)
    expect((await merge(randomUUID(), body)).status).toBe(401)
    expect((await merge(null, body)).status).toBe(401)
    expect(await balanceNano(from.creditId)).toBe(2_000_000_000n)
  })

  test.each([
    ['from_credit_id', {}],
    ['from_credit_id', { from_credit_id: 'all of it' }],
    ['from_credit_id', { from_credit_id: 7 }],
    ['from_credit_id', { from_credit_id: API_KEY }],
    ['from_credit_id', { from_credit_id: randomUUID(), from_api_key: API_KEY }],
    ['from_api_key', { from_api_key: randomUUID() }],
    ['from_api_key', { from_api_key: 'sk-short' }],
    ['close', { from_api_key: API_KEY, close: true }],
  ])('names %s when it refuses %j', async (param, body) => {
    const { creditId } = await newCredit(0n)
    expect(await merge(creditId, body)).toMatchObject({ status: 400, body: { error: { param } } })
  })

  test('an unknown credit_id is not found, and counts as a guess', async () => {
    const { creditId } = await newCredit(1n)
    const answer = await merge(creditId, { from_credit_id: randomUUID() })
    expect(answer).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
    expect(taken).toEqual(['balance_look_up', 'unknown_credential'])
  })

  test('a credit does not merge with itself in any spelling', async () => {
    const { creditId } = await newCredit(1n)
    const answer = await merge(creditId, { from_credit_id: creditId.toUpperCase() })
    expect(answer).toMatchObject({
      status: 409,
      body: {
        error: { code: 'conflict', param: 'from_credit_id', message: expect.stringContaining('same credit') },
      },
    })
    expect(await balanceNano(creditId)).toBe(1_000_000_000n)
  })

  test('an API key of an existing credit moves nothing', async () => {
    const owner = await newCredit(2n)
    const into = await newCredit(1n)
    const secret = `sk-${'b'.repeat(32)}`
    await createTestKey(ledger, { accountId: owner.accountId, secretHash: hashSecret(secret) })
    const answer = await merge(into.creditId, { from_api_key: secret })
    expect(answer).toMatchObject({
      status: 403,
      body: { error: { code: 'forbidden', param: 'from_api_key' } },
    })
    expect(JSON.stringify(answer)).not.toContain(secret)
    expect(await balanceNano(owner.creditId)).toBe(2_000_000_000n)
  })

  test('an API key with its own balance moves it', async () => {
    const into = await newCredit(1n)
    const secret = `sk-${'c'.repeat(32)}`
    const firstKey = { secretHash: hashSecret(secret), hint: 'cccc' }
    const { accountId } = await ledger.createAccount({ creditIdHash: null, firstKey, attribution: null })
    const move = { accountId, source: 'operator', reference: randomUUID(), memo: {} } as const
    await ledger.credit({ ...move, amountNano: 5_000_000_000n })
    const body = { from_api_key: secret }
    expect(await merge(into.creditId, body)).toEqual({ status: 200, body: { moved_usd: 5, balance: 6 } })
    expect(await merge(into.creditId, body)).toEqual({ status: 200, body: { moved_usd: 0, balance: 6 } })
  })

  test('a credit that leaked ends, and can be closed again', async () => {
    const [into, from] = [await newCredit(1n), await newCredit(2n)]
    const body = { from_credit_id: from.creditId, close: true }
    for (const moved_usd of [2, 0])
      expect(await merge(into.creditId, body)).toEqual({
        status: 200,
        body: { moved_usd, balance: 3, closed: true },
      })
    expect((await merge(from.creditId, { from_credit_id: into.creditId })).status).toBe(401)
  })

  test.each(['', 'k'.repeat(256)])('an Idempotency-Key of the wrong length is refused', async key => {
    const from = await newCredit(2n)
    const into = await newCredit(1n)
    const answer = await merge(into.creditId, { from_credit_id: from.creditId }, { 'idempotency-key': key })
    expect(answer).toMatchObject({ status: 400, body: { error: { param: 'idempotency-key' } } })
    expect(await balanceNano(from.creditId)).toBe(2_000_000_000n)
  })

  test('moves the balance once, with the same answer under the same Idempotency-Key', async () => {
    const from = await newCredit(2n)
    const into = await newCredit(1n)
    const body = { from_credit_id: from.creditId }
    const key = { 'idempotency-key': 'once' }
    const moved = { status: 200, body: { moved_usd: 2, balance: 3 } }
    expect(await merge(into.creditId, body, key)).toEqual(moved)
    expect(await merge(into.creditId, body, key)).toEqual(moved)
    expect(await merge(into.creditId, body)).toEqual({ status: 200, body: { moved_usd: 0, balance: 3 } })
    expect(await balanceNano(from.creditId)).toBe(0n)
  })
})
