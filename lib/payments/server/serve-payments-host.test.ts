import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import { createContractPayments } from '../testing'
import { createRefillLinks } from './refill-links'
import { servePaymentsHost } from './serve-payments-host'

const TOKEN = 'token of the host'
type Input = Parameters<typeof servePaymentsHost>[0]

describeOnPostgres('taking payments for another deployment', getDatabase => {
  let kept: Pick<Input, 'payments' | 'refillLinks'>
  let accountId: string
  beforeAll(async () => {
    const { payments, parties } = createContractPayments(getDatabase())
    kept = { payments, refillLinks: createRefillLinks({ database: getDatabase() }) }
    accountId = await parties.createAccount()
  })
  const ask = (request: Partial<Input['request']>, changes: Partial<Input> = {}) =>
    servePaymentsHost({
      ...kept,
      token: TOKEN,
      request: { verb: 'listMethods', authorization: `Bearer ${TOKEN}`, body: {}, ...request },
      ...changes,
    })
  const question = () => ({
    accountId,
    methodId: 'btc-lightning',
    amount: '1.5',
    currency: 'USD',
    siteUrl: 'https://visited.test',
  })

  test.each([null, '', 'Bearer ', 'Bearer wrong', TOKEN, `Bearer ${TOKEN} `, `Basic ${TOKEN}`])(
    'the authorization %j lets nobody in',
    async authorization => {
      expect(await ask({ authorization })).toEqual({ status: 401, body: { error: { code: 'unauthorized' } } })
    },
  )

  test('without a token of its own it lets nobody in either', async () => {
    expect(await ask({ authorization: 'Bearer ' }, { token: '' })).toMatchObject({ status: 401 })
  })

  test.each(['', 'unknown', 'constructor', '__proto__', 'handleWebhook', 'reconcile', 'watch'])(
    'the verb %j is not there',
    async verb => {
      expect(await ask({ verb })).toEqual({ status: 404, body: { error: { code: 'unknown_verb' } } })
    },
  )

  test.each<[string, Record<string, unknown>]>([
    ['an amount that is a number', { amount: 1.5 }],
    ['an endless amount', { amount: '1e309' }],
    ['a method of no kind', { methodId: 'shells' }],
    ['a site that is a script', { siteUrl: 'javascript:alert(1)//' }],
    ['a path that leads elsewhere', { returnPath: '.evil.test/' }],
    ['a path with a query', { returnPath: '/top-up?invoice=1&' }],
    ['no account', { accountId: undefined }],
    ['an account that is no id', { accountId: 'nul \u0000 inside' }],
  ])('a question with %s is refused', async (_name, changes) => {
    const refused = { status: 400, body: { error: { code: 'invalid_input' } } }
    expect(await ask({ verb: 'createInvoice', body: { ...question(), ...changes } })).toEqual(refused)
    expect(await ask({ verb: 'createInvoice', body: question() })).toMatchObject({ status: 200 })
  })

  test('a question about an account that is not there is refused, and no failure of ours', async () => {
    const stranger = { ...question(), accountId: randomUUID() }
    expect(await ask({ verb: 'createInvoice', body: stranger })).toEqual({
      status: 404,
      body: { error: { code: 'unknown_account' } },
    })
  })

  test.each([null, [], 'text', 7])('the question %j is refused', async body => {
    expect(await ask({ verb: 'getInvoice', body })).toMatchObject({ status: 400 })
  })

  test('amounts are decimal text', async () => {
    expect(await ask({ verb: 'createInvoice', body: question() })).toMatchObject({
      body: { outcome: 'created', invoice: { amountNano: '1500000000', requestedAmount: '1.5' } },
    })
  })

  test('a failure says no more than that', async () => {
    const failing = { ...kept.payments, listMethods: () => Promise.reject(new Error('a password')) }
    expect(await ask({}, { payments: failing })).toEqual({
      status: 503,
      body: { error: { code: 'unavailable' } },
    })
  })
})
