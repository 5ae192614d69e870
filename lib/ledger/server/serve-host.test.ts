import { beforeAll, expect, test } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import type { Ledger } from '../domain/ledger'
import { createFundedAccount } from '../testing'
import { createEmbeddedLedger } from './embedded-ledger'
import { type HostRequest, serveHost } from './serve-host'

const TOKEN = 'token of the host'

describeOnPostgres('serving another deployment', getDatabase => {
  let ledger: Ledger
  let body: unknown
  beforeAll(async () => {
    ledger = createEmbeddedLedger({ database: getDatabase() })
    const { credential } = await createFundedAccount(ledger, 7n)
    body = { credential }
  })
  const ask = (request: Partial<HostRequest>, token = TOKEN) =>
    serveHost({
      ledger,
      token,
      request: { verb: 'getBalance', authorization: `Bearer ${TOKEN}`, body, ...request },
    })

  test('amounts are decimal text', async () => {
    expect(await ask({})).toMatchObject({
      status: 200,
      body: { balanceNano: '7', heldNano: '0', availableNano: '7' },
    })
  })

  test.each([null, '', 'Bearer ', 'Bearer wrong', TOKEN, `Bearer ${TOKEN} `, `Basic ${TOKEN}`])(
    'the authorization %j lets nobody in',
    async authorization => {
      expect(await ask({ authorization })).toEqual({ status: 401, body: { error: { code: 'unauthorized' } } })
    },
  )

  test('without a token of its own it lets nobody in either', async () => {
    expect(await ask({ authorization: 'Bearer ' }, '')).toMatchObject({ status: 401 })
  })

  test.each(['', 'unknown', 'constructor', '__proto__', 'toString'])(
    'the verb %j is not there',
    async verb => {
      expect(await ask({ verb })).toEqual({ status: 404, body: { error: { code: 'unknown_verb' } } })
    },
  )

  test.each([
    null,
    [],
    'text',
    7,
    {},
    { credential: null },
    { credential: { kind: 'other', secretHash: 'x' } },
  ])('the question %j is refused', async question => {
    expect(await ask({ body: question })).toEqual({ status: 400, body: { error: { code: 'invalid_input' } } })
  })

  test('a ledger that fails says no more than that', async () => {
    const failing = { ...ledger, getBalance: () => Promise.reject(new Error('password in the message')) }
    const response = await serveHost({
      ledger: failing,
      token: TOKEN,
      request: { verb: 'getBalance', authorization: `Bearer ${TOKEN}`, body },
    })
    expect(response).toEqual({ status: 503, body: { error: { code: 'unavailable' } } })
  })
})
